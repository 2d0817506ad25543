import { expect, it } from 'vitest'
import type { TelemetryReader } from '../telemetry-store.ts'
import { spanIdOf, traceIdOf } from './column-filling.ts'
import { expectFound } from './expect-found.ts'
import { expectRequests } from './expect-requests.ts'
import { type Backend, describeWithStore, type Records } from './subject.ts'
import { atNs, MS_PER_HOUR, WHOLE_WINDOW, windowMs } from './test-time.ts'

const HOURS = [0, 1, 2]

/** One record of each sort in every hour, all in one trace, told apart by the hour. */
const RECORDS: Records = {
  spans: HOURS.map((hour) => ({
    id: `${hour + 1}`,
    kind: 'SERVER',
    atMs: hour * MS_PER_HOUR,
    service: `service-${hour}`,
    operation: `operation-${hour}`,
    status: 'ERROR',
    attributes: { [`key-${hour}`]: hour },
  })),
  logs: HOURS.map((hour) => ({ id: `${hour + 1}`, trace: '1', atMs: hour * MS_PER_HOUR, body: `${hour}` })),
  points: HOURS.map((hour) => ({ atMs: hour * MS_PER_HOUR, value: hour })),
}

async function expectHours(reader: TelemetryReader, hours: number[]): Promise<void> {
  await Promise.all([expectSpansOf(reader, hours), expectOptionsOf(reader, hours), expectRequestsOf(reader, hours)])
  expect((await reader.logs(WHOLE_WINDOW, 10)).map((log) => Number(log.body))).toEqual(hours)
  expect((await reader.traceLogs(traceIdOf('1'), 10)).map((log) => Number(log.body))).toEqual(hours)
  const { items, totalCount } = await reader.searchLogs({ window: WHOLE_WINDOW }, { offset: 0, limit: 10 })
  expect(items.map((log) => Number(log.body)).reverse()).toEqual(hours)
  expect(totalCount).toBe(hours.length)
  expect((await reader.logFilterOptions(10)).serviceNames).toEqual(hours.length === 0 ? [] : ['shop'])
  for (const hour of HOURS)
    expect((await reader.log(traceIdOf(`${hour + 1}`))) !== undefined).toBe(hours.includes(hour))
  const points = await reader.metricPoints('queue.length', WHOLE_WINDOW, 10)
  expect(points.map((point) => point.value)).toEqual(hours)
}

/** Only of the hours that are kept, because figures may outlive their records. */
async function expectRequestsOf(reader: TelemetryReader, hours: number[]): Promise<void> {
  const kept = windowMs((hours[0] ?? HOURS.length) * MS_PER_HOUR, 12 * MS_PER_HOUR)
  await expectRequests(reader, Object.fromEntries(hours.map((hour) => [`service-${hour}`, 1])), kept)
}

async function expectSpansOf(reader: TelemetryReader, hours: number[]): Promise<void> {
  const { spans, totalCount } = await reader.traceSpans(traceIdOf('1'), 10)
  expect(spans.map((span) => span.serviceName)).toEqual(hours.map((hour) => `service-${hour}`))
  expect(totalCount).toBe(hours.length)
  expect(await reader.traceErrorSpans(traceIdOf('1'), 10)).toHaveLength(hours.length)
  await Promise.all(
    HOURS.map(async (hour) => {
      expect((await reader.span(spanIdOf(`${hour + 1}`))) !== undefined).toBe(hours.includes(hour))
      await expectFound(reader, { serviceName: `service-${hour}` }, hours.includes(hour) ? [`1/${hour + 1}`] : [])
    }),
  )
}

async function expectOptionsOf(reader: TelemetryReader, hours: number[]): Promise<void> {
  const keys = hours.map((hour) => `key-${hour}`)
  expect(await reader.traceFilterOptions(10)).toEqual({
    serviceNames: hours.map((hour) => `service-${hour}`),
    operationNames: hours.map((hour) => `operation-${hour}`),
    statusValues: hours.length === 0 ? [] : ['ERROR'],
    tagKeys: hours.length === 0 ? [] : [...keys, 'service.name'],
  })
}

export function describeRecordExpiry(backend: Backend): void {
  describeWithStore('removing what is older than the retention', backend, (subject) => {
    it('removes the hours before, and only of the Grids that are named', async () => {
      const [named, shorter, other] = [subject.newGrid(), subject.newGrid(), subject.newGrid()]
      await Promise.all([named, shorter, other].map((gridId) => subject.write(gridId, RECORDS)))
      await subject.settle()
      await subject.store.expire([
        { gridId: named, oldestNs: atNs(MS_PER_HOUR), oldestSumsNs: atNs(MS_PER_HOUR) },
        { gridId: shorter, oldestNs: atNs(2 * MS_PER_HOUR), oldestSumsNs: atNs(2 * MS_PER_HOUR) },
      ])
      const expectLeft = () =>
        Promise.all([
          expectHours(subject.reader(named), [1, 2]),
          expectHours(subject.reader(shorter), [2]),
          expectHours(subject.reader(other), [0, 1, 2]),
        ])
      await expectLeft()
      await subject.reopen()
      await expectLeft()
    })

    it('removes old hours that were not settled yet', async () => {
      const gridId = subject.newGrid()
      await subject.write(gridId, RECORDS)
      await subject.store.expire([{ gridId, oldestNs: atNs(2 * MS_PER_HOUR), oldestSumsNs: atNs(2 * MS_PER_HOUR) }])
      await expectHours(subject.reader(gridId), [2])
      await subject.settle()
      await expectHours(subject.reader(gridId), [2])
    })

    it('keeps what began at the border or later in a broken hour', async () => {
      const gridId = subject.newGrid()
      const beforeBorder = { spans: [{ trace: 'b', id: 'b', atMs: MS_PER_HOUR + 999 }] }
      const atBorder = { spans: [{ trace: 'a', id: 'a', atMs: MS_PER_HOUR + 1000 }] }
      await subject.write(gridId, RECORDS)
      await subject.write(gridId, beforeBorder)
      await subject.write(gridId, atBorder)
      await subject.settle()
      await subject.store.expire([
        { gridId, oldestNs: atNs(MS_PER_HOUR + 1000), oldestSumsNs: atNs(MS_PER_HOUR + 1000) },
      ])
      const reader = subject.reader(gridId)
      expect(await reader.span(spanIdOf('a'))).toBeDefined()
      expect(await reader.span(spanIdOf('3'))).toBeDefined()
      expect(await reader.span(spanIdOf('1'))).toBeUndefined()
    })

    it('removes nothing twice, and everything where nothing may stay', async () => {
      const gridId = subject.newGrid()
      await subject.write(gridId, RECORDS)
      await subject.settle()
      const retention = { gridId, oldestNs: atNs(2 * MS_PER_HOUR), oldestSumsNs: atNs(2 * MS_PER_HOUR) }
      await subject.store.expire([retention])
      await subject.store.expire([retention])
      await expectHours(subject.reader(gridId), [2])
      await subject.store.expire([{ gridId, oldestNs: atNs(3 * MS_PER_HOUR), oldestSumsNs: atNs(3 * MS_PER_HOUR) }])
      await expectHours(subject.reader(gridId), [])
    })

    it('takes new records after an expiry, also into the oldest hour that is kept', async () => {
      const gridId = subject.newGrid()
      await subject.write(gridId, { spans: (RECORDS.spans ?? []).slice(0, 2) })
      await subject.settle()
      await subject.store.expire([{ gridId, oldestNs: atNs(MS_PER_HOUR), oldestSumsNs: atNs(MS_PER_HOUR) }])
      await subject.write(gridId, { spans: [{ trace: '2', id: '9', atMs: MS_PER_HOUR + 5 }] })
      await subject.settle()
      await expectFound(subject.reader(gridId), {}, ['2/9', '1/2'])
    })

    it('does nothing for a Grid that never was, or for none', async () => {
      await subject.store.expire([])
      await subject.store.expire([{ gridId: subject.newGrid(), oldestNs: atNs(0), oldestSumsNs: atNs(0) }])
    })
  })
}
