import { MalformedRequest } from '../../ingest.ts'
import { VALUE_DEPTH_MAX } from '../limits.ts'
import { ProtoWriter } from '../proto-writer.ts'
import { ANY_VALUE, type Field, type Message } from './messages.ts'
import { SCALARS, type ScalarWriter } from './scalars.ts'

/**
 * Turns a message in OTLP's JSON into the same message in protobuf, so that both encodings are decoded by the same code
 * and cannot differ in meaning. Unknown names are ignored, `null` is as good as nothing.
 */
export function transcode(message: Message, value: unknown): Uint8Array {
  const transcoder = new Transcoder()
  transcoder.message(message, value, 0)
  return transcoder.writer.finish()
}

class Transcoder {
  readonly writer = new ProtoWriter()
  private readonly path: (string | number)[] = []

  /** `depth` is how deep in values an AnyValue lies. */
  message(message: Message, value: unknown, depth: number): void {
    if (!isObject(value)) this.fail('an object')
    for (const name of Object.keys(value)) {
      const field = message.get(name)
      const content = value[name]
      if (field === undefined || content === null) continue
      this.path.push(name)
      if (field.repeated) this.elements(field, content, depth)
      else this.field(field, content, depth)
      this.path.pop()
    }
  }

  private elements(field: Field, value: unknown, depth: number): void {
    if (!Array.isArray(value)) this.fail('an array')
    for (let i = 0; i < value.length; i++) {
      this.path.push(i)
      this.field(field, value[i], depth)
      this.path.pop()
    }
  }

  private field(field: Field, value: unknown, depth: number): void {
    const { number, type } = field
    if ('scalar' in type) this.scalar(number, type.scalar, value)
    else this.writer.message(number, () => this.inner(type.message, value, depth))
  }

  private inner(message: Message, value: unknown, depth: number): void {
    if (message !== ANY_VALUE) this.message(message, value, depth)
    else if (depth < VALUE_DEPTH_MAX) this.message(message, value, depth + 1)
    else if (isObject(value) && Object.keys(value).length > 0) {
      // Too deep to be kept: any content will do for the decoder to see that there was some.
      this.scalar(2, SCALARS.bool, true)
    }
  }

  private scalar(number: number, scalar: ScalarWriter, value: unknown): void {
    this.writer.tag(number, scalar.wireType)
    if (!scalar.write(this.writer, value)) this.fail(scalar.expected)
  }

  private fail(expected: string): never {
    const path = this.path
      .map((part, i) => (typeof part === 'number' ? `[${part}]` : i > 0 ? `.${part}` : part))
      .join('')
    throw new MalformedRequest(`${path === '' ? 'the body' : path}: expected ${expected}`)
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
