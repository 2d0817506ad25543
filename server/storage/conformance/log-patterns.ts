import { expect } from 'vitest'
import type { LogFilter, TelemetryReader } from '../telemetry-store.ts'
import { traceIdOf } from './column-filling.ts'
import type { LogLiteral } from './log-builder.ts'
import { answersWherever } from './placements.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { BASE_NS, MS_PER_HOUR, WHOLE_WINDOW, windowMs } from './test-time.ts'

/** `shop Error lost <*>: 3 from 0 to 5` are three records, the first and last of them so many milliseconds after the base. */
async function patternsIn(reader: TelemetryReader, filter: Partial<LogFilter> = {}): Promise<string[]> {
  const patterns = await reader.logPatterns({ window: WHOLE_WINDOW, ...filter }, 100)
  const ms = (ns: bigint) => Number(ns - BASE_NS) / 1e6
  return patterns.map(({ serviceName, severityLevel, template, recordCount, firstNs, lastNs }) => {
    return `${serviceName} ${severityLevel} ${template}: ${recordCount} from ${ms(firstNs)} to ${ms(lastNs)}`
  })
}

async function newestIn(reader: TelemetryReader, filter: Partial<LogFilter> = {}): Promise<(string | undefined)[]> {
  const asked = { window: WHOLE_WINDOW, ...filter }
  const newest = await reader.newestOfPatterns(asked, await reader.logPatterns(asked, 100))
  return newest.map((log) => log?.id)
}

export function describeLogPatterns(backend: Backend): void {
  describeWithStore('patterns of logs', backend, (subject) => {
    const answers = answersWherever(subject)

    answers('are none where no logs are', { spans: [{}] }, async (reader) => {
      expect(await patternsIn(reader)).toEqual([])
      expect(await newestIn(reader)).toEqual([])
    })

    const logs: LogLiteral[] = [
      { id: '1', atMs: 0, body: 'order 17 lost', severityNumber: 17 },
      { id: '4', atMs: 5, body: 'order 18 lost', severityNumber: 18 },
      { id: '3', atMs: 5, body: 'order 19 lost', severityNumber: 17 },
      { id: '5', atMs: MS_PER_HOUR, body: 'order 20 stored', severityNumber: 0 },
      { id: '6', atMs: 9, body: 'order 21 stored' },
      { id: '7', atMs: 8, body: 'order 22 stored', service: 'cart' },
      { id: '8', atMs: 7, body: '' },
    ]
    answers('are counted by service, level and template', { logs }, async (reader) => {
      expect(await patternsIn(reader)).toEqual([
        'shop Error order <*> lost: 3 from 0 to 5',
        `shop Information order <*> stored: 2 from 9 to ${MS_PER_HOUR}`,
        'cart Information order <*> stored: 1 from 8 to 8',
        'shop Information : 1 from 7 to 7',
      ])
      expect(await reader.logPatterns({ window: WHOLE_WINDOW }, 2)).toHaveLength(2)
    })

    answers('are shown by their newest record, on a tie by the first id', { logs }, async (reader) => {
      expect(await newestIn(reader)).toEqual(['3', '5', '7', '8'].map(traceIdOf))
    })

    answers('are those of what matches', { logs }, async (reader) => {
      expect(await patternsIn(reader, { severityLevel: 'Error' })).toHaveLength(1)
      expect(await patternsIn(reader, { serviceName: 'cart' })).toEqual([
        'cart Information order <*> stored: 1 from 8 to 8',
      ])
      expect(await patternsIn(reader, { words: ['18'] })).toEqual(['shop Error order <*> lost: 1 from 5 to 5'])
      expect(await newestIn(reader, { words: ['18'] })).toEqual([traceIdOf('4')])
      expect(await patternsIn(reader, { window: windowMs(1, 6) })).toEqual(['shop Error order <*> lost: 2 from 5 to 5'])
    })

    answers('of records that are gone have none', { logs }, async (reader) => {
      const [pattern] = await reader.logPatterns({ window: WHOLE_WINDOW }, 1)
      const gone = [{ ...pattern, lastNs: BASE_NS + 1n }].filter((it) => it.template !== undefined)
      expect(await reader.newestOfPatterns({ window: WHOLE_WINDOW }, gone as never)).toEqual([undefined])
    })
  })
}
