import type { Failures, Telling } from './failures.ts'

const FIRST_ROWS = 1024

/** One failed span; names and what it tells are given by their places. */
interface FailureRow {
  trace: number
  span: number
  parent: number
  startNs: number
  durationNs: number
  kind: number
  service: number
  operation: number
  told: number
}

/** Failed spans as they are gathered. */
export class FailureTable {
  private readonly names = new Map<string, number>()
  private readonly tellings: Telling[] = []
  private rows = 0
  private traces = new Float64Array(FIRST_ROWS)
  private spans = new Float64Array(FIRST_ROWS)
  private parents = new Float64Array(FIRST_ROWS)
  private startsNs = new Float64Array(FIRST_ROWS)
  private durationsNs = new Float64Array(FIRST_ROWS)
  private kinds = new Uint8Array(FIRST_ROWS)
  private services = new Uint32Array(FIRST_ROWS)
  private operations = new Uint32Array(FIRST_ROWS)
  private told = new Uint32Array(FIRST_ROWS)

  get count(): number {
    return this.rows
  }

  /** The place of a name. */
  name(text: string): number {
    const known = this.names.get(text)
    if (known !== undefined) return known
    this.names.set(text, this.names.size)
    return this.names.size - 1
  }

  /** The place of a telling that was not added before. */
  tell(telling: Telling): number {
    return this.tellings.push(telling) - 1
  }

  add(row: FailureRow): void {
    if (this.rows === this.kinds.length) this.grow()
    const at = this.rows++
    this.traces[at] = row.trace
    this.spans[at] = row.span
    this.parents[at] = row.parent
    this.startsNs[at] = row.startNs
    this.durationsNs[at] = row.durationNs
    this.kinds[at] = row.kind
    this.services[at] = row.service
    this.operations[at] = row.operation
    this.told[at] = row.told
  }

  /** Those that began last, and all that began together with the last of them. */
  newest(limit: number): Failures {
    const sinceNs = this.rows <= limit ? Number.NEGATIVE_INFINITY : this.startOfNewest(limit)
    const kept: number[] = []
    for (let row = 0; row < this.rows; row++) if ((this.startsNs[row] as number) >= sinceNs) kept.push(row)
    const pick = <T extends Float64Array | Uint32Array | Uint8Array>(column: T): T =>
      (kept.length === this.rows ? column.slice(0, this.rows) : pickRows(column, kept)) as T
    return {
      count: kept.length,
      traces: pick(this.traces),
      spans: pick(this.spans),
      parents: pick(this.parents),
      startsNs: pick(this.startsNs),
      durationsNs: pick(this.durationsNs),
      kinds: pick(this.kinds),
      services: pick(this.services),
      operations: pick(this.operations),
      names: [...this.names.keys()],
      told: pick(this.told),
      tellings: this.tellings,
    }
  }

  private startOfNewest(limit: number): number {
    return this.startsNs.slice(0, this.rows).sort()[this.rows - limit] as number
  }

  private grow(): void {
    this.traces = doubled(this.traces)
    this.spans = doubled(this.spans)
    this.parents = doubled(this.parents)
    this.startsNs = doubled(this.startsNs)
    this.durationsNs = doubled(this.durationsNs)
    this.kinds = doubled(this.kinds)
    this.services = doubled(this.services)
    this.operations = doubled(this.operations)
    this.told = doubled(this.told)
  }
}

type Column = Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>

function doubled<T extends Column>(column: T): T {
  const grown = new (column.constructor as new (length: number) => T)(column.length * 2)
  grown.set(column)
  return grown
}

function pickRows(column: Float64Array | Uint32Array | Uint8Array, rows: number[]): Column {
  const picked = new (column.constructor as new (length: number) => Column)(rows.length)
  for (const [i, row] of rows.entries()) picked[i] = column[row] as number
  return picked
}
