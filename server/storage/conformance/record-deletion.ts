import { expect, it } from 'vitest'
import type { RecordCounts, RecordMatch } from '../../domain/record-match.ts'
import type { TelemetryReader, TelemetryStore } from '../telemetry-store.ts'
import { spanIdOf, traceIdOf } from './column-filling.ts'
import { expectFound } from './expect-found.ts'
import { type Backend, describeWithStore, type Records } from './subject.ts'
import { MS_PER_HOUR, WHOLE_WINDOW } from './test-time.ts'

const ANN = { 'user.id': 'ann' }
const BOB = { 'user.id': 'bob' }
const SIGNALS: RecordMatch['signals'] = ['traces', 'logs', 'metrics']
const MATCH: RecordMatch = { attribute: 'user.id', values: ['ann'], signals: SIGNALS }

/** Ann's records are those that carry her id anywhere. */
const RECORDS: Records = {
  spans: [
    { trace: '1', id: '1', operation: 'root', service: 'web' },
    { trace: '1', id: '2', parent: '1', attributes: ANN, status: 'ERROR', operation: 'of ann', service: 'pay' },
    { trace: '1', id: '3', parent: '1', attributes: BOB },
    { trace: '2', id: '4', events: [{ name: 'login', timeNs: 1n, attributes: ANN }] },
    { trace: '3', id: '5', links: [{ traceId: traceIdOf('9'), spanId: spanIdOf('9'), attributes: ANN }] },
    { trace: '4', id: '6', resource: ANN, atMs: MS_PER_HOUR },
    { trace: '5', id: '7', attributes: { 'user.id': ['bob', 'ann'] } },
    { trace: '6', id: '8', attributes: { 'user.id': 'anna', other: 'ann' } },
  ],
  logs: [
    { id: '1', body: 'of ann', attributes: ANN },
    { id: '2', body: 'of bob', attributes: BOB },
    { id: '3', body: 'on her machine', resource: ANN, atMs: MS_PER_HOUR },
  ],
  points: [
    { value: 1, attributes: ANN },
    { value: 2, attributes: BOB },
    { value: 3, resource: ANN, atMs: MS_PER_HOUR },
  ],
}

async function deleteEverywhere(store: TelemetryStore, gridId: string, match: RecordMatch): Promise<RecordCounts> {
  const sum = { spans: 0, logRecords: 0, metricPoints: 0 }
  for (const hour of await store.settledHours(gridId)) {
    const deleted = await store.deleteRecords(gridId, hour, match)
    for (const kind of Object.keys(sum) as (keyof RecordCounts)[]) sum[kind] += deleted[kind]
  }
  return sum
}

async function expectOnlyOthers(reader: TelemetryReader): Promise<void> {
  expect((await reader.traceSpans(traceIdOf('1'), 10)).spans.map(({ spanId }) => spanId)).toEqual(
    ['1', '3'].map(spanIdOf),
  )
  expect(await reader.traceErrorSpans(traceIdOf('1'), 10)).toEqual([])
  expect(await reader.span(spanIdOf('2'))).toBeUndefined()
  expect((await reader.span(spanIdOf('8')))?.attributes).toEqual({ 'user.id': 'anna', other: 'ann' })
  await expectFound(reader, {}, ['1/1', '6/8'])
  await expectFound(reader, { tags: ANN }, [])
  expect((await reader.logs(WHOLE_WINDOW, 10)).map(({ body }) => body)).toEqual(['of bob'])
  expect((await reader.logPatterns({ window: WHOLE_WINDOW }, 10)).map(({ template }) => template)).toEqual(['of bob'])
  expect((await reader.metricPoints('queue.length', WHOLE_WINDOW, 10)).map(({ value }) => value)).toEqual([2])
}

export function describeRecordDeletion(backend: Backend): void {
  describeWithStore('deleting records that carry a value', backend, (subject) => {
    it('removes those records and no others, wherever the value is, sealed or not, and once', async () => {
      for (const isSettled of [false, true]) {
        const gridId = subject.newGrid()
        await subject.write(gridId, RECORDS)
        if (isSettled) await subject.settle()
        expect(await deleteEverywhere(subject.store, gridId, MATCH)).toEqual({
          ...{ spans: 5, logRecords: 2, metricPoints: 2 },
        })
        await expectOnlyOthers(subject.reader(gridId))
        expect(await deleteEverywhere(subject.store, gridId, MATCH)).toEqual({
          ...{ spans: 0, logRecords: 0, metricPoints: 0 },
        })
        await subject.reopen()
        await expectOnlyOthers(subject.reader(gridId))
      }
    })

    it('keeps to the signals that are asked for', async () => {
      const gridId = subject.newGrid()
      await subject.write(gridId, RECORDS)
      const deleted = await deleteEverywhere(subject.store, gridId, { ...MATCH, signals: ['logs'] })
      expect(deleted).toEqual({ spans: 0, logRecords: 2, metricPoints: 0 })
      expect((await subject.reader(gridId).span(spanIdOf('6')))?.resource).toMatchObject(ANN)
      expect(await subject.reader(gridId).metricPoints('queue.length', WHOLE_WINDOW, 10)).toHaveLength(3)
    })

    it('takes any of several values, numbers and truth by their text, and values of any characters', async () => {
      const gridId = subject.newGrid()
      const values = ['a"b\\c', '42', 'true', "'; DROP TABLE spans; --", '', 'ä\n']
      const attributes = ['a"b\\c', 42, true, "'; DROP TABLE spans; --", '', 'ä\n', 'other', null]
      await subject.write(gridId, {
        spans: attributes.map((value, i) => ({ trace: `${i + 1}`, id: `${i + 1}`, attributes: { 'k~/"$[': value } })),
      })
      const match = { attribute: 'k~/"$[', values, signals: SIGNALS }
      expect((await deleteEverywhere(subject.store, gridId, match)).spans).toBe(6)
      await expectFound(subject.reader(gridId), {}, ['7/7', '8/8'])
    })

    it("leaves another Grid's records alone, and takes later ones", async () => {
      const [gridId, other] = [subject.newGrid(), subject.newGrid()]
      await subject.write(gridId, RECORDS)
      await subject.write(other, RECORDS)
      await deleteEverywhere(subject.store, gridId, MATCH)
      await expectFound(subject.reader(other), { tags: ANN }, ['4/6', '1/2'])
      await subject.write(gridId, { spans: [{ trace: '7', id: '9', attributes: ANN, operation: 'later' }] })
      await subject.settle()
      await expectFound(subject.reader(gridId), { tags: ANN }, ['7/9'])
    })
  })
}
