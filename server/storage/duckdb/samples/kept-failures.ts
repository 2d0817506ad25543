import type { Telling } from '../../../domain/failures.ts'
import { TextList } from './text-list.ts'

const FIRST_ROWS = 1024
/** Own values that were taken apart are asked for again: the samples of a window are mostly those of the one before. */
const PARSED_MAX = 20_000
/** What a text is taken apart into takes more than the text. */
const OBJECTS_PER_TEXT = 4

/** Failed spans by columns, with the numbers that their file has for names. */
export interface FailureColumns {
  /** Where they lie in the file. */
  row: Float64Array
  trace: Float64Array
  span: Float64Array
  parent: Float64Array
  sinceHourNs: Float64Array
  durationNs: Float64Array
  kind: Uint8Array
  service: Uint32Array
  operation: Uint32Array
}

interface KeptColumns extends FailureColumns {
  /** The places of what they tell. */
  told: Uint32Array
}

/** What failed spans tell: its hash, and the telling itself, also as the text it is stored as. */
export interface KeptTelling {
  hash: number
  content: string
  telling: Omit<Telling, 'samples'>
}

/**
 * The failed spans of one hour file that began from a moment on. Rows are only ever added to a file: what is kept was read
 * once, and whoever asks next reads on behind it.
 */
export class KeptFailures {
  /** Since the start of the hour. */
  readonly fromNs: number
  count = 0
  /** The last row of the file that was read. */
  lastRow = -1
  /** The version of the file of which all is known, if of any. What was sealed later may be known, too. */
  version: number | undefined
  /** Whether the rows are those of a file that this one was made from. */
  isOfOtherRows = false
  /** The open files whose rows are among those of the file. */
  readonly sealed = new Set<number>()
  columns = columnsOf(FIRST_ROWS)
  readonly tellings: KeptTelling[] = []
  /** The file's numbers of the services that have failed. */
  readonly services = new Set<number>()
  private readonly placeByHash = new Map<number, number>()
  private readonly ownValues = new TextList()
  private readonly parsed = new Map<number, string[]>()

  constructor(fromNs: number) {
    this.fromNs = fromNs
  }

  /** About as much as it takes. */
  get bytes(): number {
    const columns = Object.values(this.columns).reduce((sum, { byteLength }) => sum + byteLength, 0)
    const told = this.tellings.reduce((sum, { content }) => sum + content.length, 0)
    return columns + OBJECTS_PER_TEXT * (this.ownValues.byteLength + told)
  }

  hasTelling(hash: number): boolean {
    return this.placeByHash.has(hash)
  }

  tell(telling: KeptTelling): void {
    if (!this.hasTelling(telling.hash)) this.placeByHash.set(telling.hash, this.tellings.push(telling) - 1)
  }

  /** Adds a row of others. It must be known what it tells. */
  add(from: FailureColumns, index: number, telling: number, ownValues: string): void {
    if (this.count === this.columns.kind.length) this.columns = doubled(this.columns)
    const { columns } = this
    const at = this.count++
    columns.row[at] = from.row[index] as number
    columns.trace[at] = from.trace[index] as number
    columns.span[at] = from.span[index] as number
    columns.parent[at] = from.parent[index] as number
    columns.sinceHourNs[at] = from.sinceHourNs[index] as number
    columns.durationNs[at] = from.durationNs[index] as number
    columns.kind[at] = from.kind[index] as number
    columns.service[at] = from.service[index] as number
    columns.operation[at] = from.operation[index] as number
    columns.told[at] = this.placeByHash.get(telling) as number
    this.ownValues.push(ownValues)
    this.services.add(from.service[index] as number)
    this.lastRow = Math.max(this.lastRow, from.row[index] as number)
  }

  /** The values that are a span's own. */
  valuesOf(index: number): string[] {
    const known = this.parsed.get(index)
    if (known) return known
    const text = this.ownValues.at(index)
    const values = text === '' ? [] : (JSON.parse(text) as string[])
    if (this.parsed.size >= PARSED_MAX) this.parsed.clear()
    this.parsed.set(index, values)
    return values
  }
}

function columnsOf(rows: number): KeptColumns {
  return {
    row: new Float64Array(rows),
    trace: new Float64Array(rows),
    span: new Float64Array(rows),
    parent: new Float64Array(rows),
    sinceHourNs: new Float64Array(rows),
    durationNs: new Float64Array(rows),
    kind: new Uint8Array(rows),
    service: new Uint32Array(rows),
    operation: new Uint32Array(rows),
    told: new Uint32Array(rows),
  }
}

function doubled(columns: KeptColumns): KeptColumns {
  const grown = columnsOf(columns.kind.length * 2)
  for (const name of Object.keys(grown) as (keyof KeptColumns)[]) grown[name].set(columns[name])
  return grown
}
