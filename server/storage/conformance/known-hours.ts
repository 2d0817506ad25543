import { expect, it } from 'vitest'
import type { TelemetryReader } from '../telemetry-store.ts'
import { answersWherever } from './placements.ts'
import { type Backend, describeWithStore, type Records } from './subject.ts'
import { atNs, BASE_NS, MS_PER_HOUR } from './test-time.ts'

async function versionsOf(reader: TelemetryReader): Promise<Record<number, string>> {
  const hours = await reader.hourVersions()
  return Object.fromEntries(
    hours.map(({ hourStartNs, version }) => [Number((hourStartNs - BASE_NS) / 3_600_000_000_000n), version]),
  )
}

export function describeKnownHours(backend: Backend): void {
  describeWithStore('telling what is known of time', backend, (subject) => {
    const answers = answersWherever(subject)

    answers('has no first span without spans', { logs: [{}], points: [{}] }, async (reader) => {
      expect(await reader.firstSpanNs()).toBeUndefined()
    })

    const spans = [5, -3, 0].map((hour, index) => ({ id: `${index + 1}`, startNs: atNs(hour * MS_PER_HOUR) + 1n }))
    const others = { logs: [{ atMs: -9 * MS_PER_HOUR }], points: [{ atMs: 2 * MS_PER_HOUR - 1 }] }
    answers('knows the first span, to the nanosecond', { spans, ...others }, async (reader) => {
      expect(await reader.firstSpanNs()).toBe(atNs(-3 * MS_PER_HOUR) + 1n)
    })

    answers('lists every hour that has records, ascending', { spans, ...others }, async (reader) => {
      const hours = await reader.hourVersions()
      expect(hours.map((hour) => hour.hourStartNs)).toEqual([-9, -3, 0, 1, 5].map((hour) => atNs(hour * MS_PER_HOUR)))
    })
  })

  describeWithStore('noticing what comes', backend, (subject) => {
    it('gives an hour another version whenever records come into it', async () => {
      const gridId = subject.newGrid()
      const arriving: Records[] = [
        { spans: [{ id: '1' }, { id: '2', atMs: MS_PER_HOUR }] },
        { spans: [{ id: '3', atMs: 1 }] },
        { logs: [{ id: '1' }] },
        { points: [{ value: 1 }] },
        { spans: [{ id: '4', atMs: 2 }], logs: [{ id: '2', atMs: 2 }], points: [{ atMs: 2 }] },
      ]
      const seen = new Set<string | undefined>()
      for (const [step, records] of arriving.entries()) {
        await subject.write(gridId, records)
        if (step % 2 === 1) await subject.settle()
        if (step === 3) await subject.reopen()
        const versions = await versionsOf(subject.reader(gridId))
        expect(Object.keys(versions)).toEqual(['0', '1'])
        expect(seen.has(versions[0])).toBe(false)
        seen.add(versions[0])
      }
    })

    it('keeps the versions of hours while nothing comes', async () => {
      const gridId = subject.newGrid()
      await subject.write(gridId, { spans: [{ id: '1' }, { id: '2', atMs: MS_PER_HOUR }], logs: [{}], points: [{}] })
      await subject.settle()
      const versions = await versionsOf(subject.reader(gridId))
      expect(await versionsOf(subject.reader(gridId))).toEqual(versions)
      await subject.write(gridId, { spans: [{ id: '3', atMs: 3 * MS_PER_HOUR }] })
      expect(await versionsOf(subject.reader(gridId))).toMatchObject(versions)
    })

    it('notices an earlier span that comes late', async () => {
      const gridId = subject.newGrid()
      await subject.write(gridId, { spans: [{ id: '1' }] })
      await subject.settle()
      expect(await subject.reader(gridId).firstSpanNs()).toBe(atNs(0))
      await subject.write(gridId, { spans: [{ id: '2', atMs: -2 * MS_PER_HOUR }] })
      expect(await subject.reader(gridId).firstSpanNs()).toBe(atNs(-2 * MS_PER_HOUR))
      await subject.settle()
      await subject.reopen()
      expect(await subject.reader(gridId).firstSpanNs()).toBe(atNs(-2 * MS_PER_HOUR))
    })
  })
}
