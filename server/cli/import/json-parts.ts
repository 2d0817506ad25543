import type { Signal } from '../../ingest/ingest.ts'
import type { ByteSource } from './byte-source.ts'
import { countInJson, valueIn } from './count-records.ts'
import { type Bytes, JSON_KEYS, PART_BYTES_MAX, type Part, type UnreadablePart } from './part.ts'

/** One export request on each line; empty lines are passed over. */
export async function* jsonParts(source: ByteSource, file: string): AsyncGenerator<Part | UnreadablePart> {
  for (let number = 1; ; number++) {
    const line = await source.takeLine(PART_BYTES_MAX)
    if (line === undefined) return
    const where = `${file}, line ${number}`
    if (line === null) yield { where, problem: `the line is longer than ${PART_BYTES_MAX / 2 ** 20} MiB` }
    else yield* partsOfLine(line, where)
  }
}

function* partsOfLine(line: Bytes, where: string): Generator<Part | UnreadablePart> {
  const text = new TextDecoder().decode(line)
  if (text.trim() === '') return
  const request = parsed(text)
  if (typeof request !== 'object' || request === null) {
    yield { where, problem: 'not a JSON object: each line has to be one export request' }
    return
  }
  const signals = SIGNALS.filter((signal) => JSON_KEYS[signal] in request)
  if (signals.length === 0) {
    yield { where, problem: `none of ${Object.values(JSON_KEYS).join(', ')} is in it` }
  }
  const isAlone = Object.keys(request).length === 1
  for (const signal of signals) {
    const items = valueIn(request, JSON_KEYS[signal])
    const records = countInJson(items, signal)
    const bytes = isAlone && Array.isArray(items) ? itemsOf(line) : undefined
    if (bytes?.length === 0) continue
    yield { signal, encoding: 'json', bytes: bytes ?? line, isWhole: bytes === undefined, records, where }
  }
}

const SIGNALS = Object.keys(JSON_KEYS) as Signal[]

/**
 * What stands between the brackets of the only array there is. As the very bytes of the file: numbers of 64 bits would not
 * survive being read and written again.
 */
function itemsOf(line: Bytes): Bytes {
  const items = line.subarray(line.indexOf(OPEN) + 1, line.lastIndexOf(CLOSE))
  return items.some((byte) => byte > BLANK) ? items : new Uint8Array()
}

const OPEN = 0x5b
const CLOSE = 0x5d
const BLANK = 0x20

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
