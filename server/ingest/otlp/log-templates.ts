import type { TextColumn } from '../../domain/columns/text-column.ts'
import { lineTemplate, messageOf } from '../../domain/log-template.ts'
import { TextShape } from './text-shape.ts'

/** Then all are forgotten: who writes other words each time is not to fill the memory. */
const KNOWN_MAX = 10_000
const BRACE = 0x7b

/** Writes the templates of log records. Texts of the same shape have the same template, which is made once. */
export class LogTemplates {
  private readonly shape = new TextShape()
  private readonly known = new Map<string, Uint8Array>()

  /** Adds the template of a row's body. */
  push(out: TextColumn, bodies: TextColumn, row: number): void {
    const start = bodies.startOf(row)
    const end = bodies.endOf(row)
    const template =
      bodies.bytes[start] === BRACE && end > start
        ? this.ofObject(bodies.textOf(row))
        : this.ofText(bodies.bytes, start, end)
    out.pushBytes(template, 0, template.length)
  }

  private ofObject(body: string): Uint8Array {
    const message = Buffer.from(messageOf(body))
    return this.ofText(message, 0, message.length)
  }

  private ofText(bytes: Uint8Array, start: number, end: number): Uint8Array {
    const key = this.shape.of(bytes, start, end)
    const known = this.known.get(key)
    if (known) return known
    const template = Buffer.from(lineTemplate(Buffer.from(bytes.subarray(start, end)).toString('utf8')))
    if (this.known.size >= KNOWN_MAX) this.known.clear()
    this.known.set(key, template)
    return template
  }
}
