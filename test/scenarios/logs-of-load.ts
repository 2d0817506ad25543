import { attributesOf, nanosecondsOf, type OtlpRecord, type Values } from './otlp-records.ts'
import { repetitionsOf } from './repeated-lines.ts'
import type { Load } from './scenario.ts'
import { pairOf, unquoted, wordsOf } from './words.ts'

const SEVERITIES: Record<string, number> = { Debug: 5, Information: 9, Warning: 13, Error: 17, Fatal: 21 }

/** Lines such as `cart Error "disk full" key=value`. */
export function logsOfLoad(load: Load, momentMs: number): OtlpRecord[] {
  return repetitionsOf(load).flatMap(({ atMs, lines }) =>
    lines.map(({ text }) => {
      const [service = '', severity = '', body = '', ...rest] = wordsOf(text)
      const severityNumber = SEVERITIES[severity]
      if (severityNumber === undefined) throw new Error(`${JSON.stringify(severity)} is no severity: ${text}`)
      const attributes: Values = Object.fromEntries(rest.flatMap((word) => [pairOf(word) ?? []]))
      return {
        resource: { 'service.name': unquoted(service) },
        record: {
          timeUnixNano: nanosecondsOf(momentMs + atMs),
          severityNumber,
          body: { stringValue: unquoted(body) },
          attributes: attributesOf(attributes),
        },
      }
    }),
  )
}
