import { attributesOf, nanosecondsOf, type OtlpRecord, type Values } from './otlp-records.ts'
import { type Repetition, repetitionsOf } from './repeated-lines.ts'
import type { Load } from './scenario.ts'
import { pairOf, unquoted, wordsOf } from './words.ts'

/** What a counter is cumulative since: long before everything. */
const STARTED_MS = 86_400_000

/**
 * Lines such as `cart gauge jvm.thread.count 80 key=value @key=value unit=By`. `gauge`, `sum` (which may fall) and `counter` (which
 * only grows) are known; a value `10..50` rises from the first repetition to the last.
 */
export function metricsOfLoad(load: Load, momentMs: number): OtlpRecord[] {
  return repetitionsOf(load).flatMap((repetition) =>
    repetition.lines.map(({ text }) => {
      const [service = '', type = '', name = '', value = '', ...rest] = wordsOf(text)
      const { unit, attributes, resource } = traitsOf(rest)
      const point = {
        startTimeUnixNano: nanosecondsOf(momentMs - STARTED_MS),
        timeUnixNano: nanosecondsOf(momentMs + repetition.atMs),
        asDouble: numberOf(value, repetition),
        attributes: attributesOf(attributes),
      }
      return {
        resource: { 'service.name': unquoted(service), ...resource },
        record: { name, unit, ...dataOf(type, point) },
      }
    }),
  )
}

function dataOf(type: string, point: object): object {
  const dataPoints = [point]
  if (type === 'gauge') return { gauge: { dataPoints } }
  if (type !== 'sum' && type !== 'counter') throw new Error(`${JSON.stringify(type)} is no type of metric`)
  return { sum: { dataPoints, aggregationTemporality: 2, isMonotonic: type === 'counter' } }
}

function traitsOf(words: string[]): { unit: string; attributes: Values; resource: Values } {
  const traits = { unit: '', attributes: {} as Values, resource: {} as Values }
  for (const word of words) {
    const [key, value] = pairOf(word) ?? []
    if (key === undefined || value === undefined) throw new Error(`what does ${JSON.stringify(word)} say of a metric?`)
    if (key === 'unit') traits.unit = String(value)
    else if (key.startsWith('@')) traits.resource[key.slice(1)] = value
    else traits.attributes[key] = value
  }
  return traits
}

function numberOf(text: string, { number, count }: Repetition): number {
  const [from = 0, to] = text.split('..').map(Number)
  const value = to === undefined ? from : from + ((to - from) * number) / Math.max(1, count - 1)
  if (!Number.isFinite(value)) throw new Error(`${JSON.stringify(text)} is no number`)
  return value
}
