import { beforeAll, it } from 'vitest'
import type { ApdexThresholds } from '../../domain/apdex.ts'
import type { TelemetryReader } from '../telemetry-store.ts'
import type { Records, Subject } from './subject.ts'

type Ask = (reader: TelemetryReader, gridId: string) => Promise<void>

/** Records, and thresholds that hold before the first of them comes. */
interface Given extends Records {
  apdex?: ApdexThresholds
}

/** Registers a test: a Grid that holds just these records answers so. */
export type Answers = (title: string, given: Given, ask: Ask, placements?: readonly Placement[]) => void

const PLACEMENTS = ['just written', 'settled', 'half settled and half sent twice'] as const
type Placement = (typeof PLACEMENTS)[number]

interface Case {
  given: Given
  gridIds: Record<Placement, string>
  /** Only those of its Grids are filled that a test asks. */
  asked: Set<Placement>
  failure?: unknown
}

/**
 * Asks every question of three Grids with the same records: not settled yet, settled, and partly settled with
 * duplicates arriving afterwards. The Grids of a whole area are filled together before its first question, so that a
 * backend commits and settles a few times in all, not a few times a test.
 */
export function answersWherever(subject: Subject): Answers {
  const cases: Case[] = []
  beforeAll(async () => {
    await forEach(cases, async ({ given: { apdex }, gridIds }) => {
      if (!apdex) return
      await Promise.all(Object.values(gridIds).map((gridId) => subject.store.setApdex(gridId, apdex)))
    })
    const write = async ({ gridIds, asked }: Case, placement: Placement, records: Records) => {
      if (asked.has(placement)) await subject.write(gridIds[placement], records)
    }
    await forEach(cases, async (each) => {
      await Promise.all([
        write(each, 'settled', each.given),
        write(each, 'half settled and half sent twice', halfOf(each.given, 'first')),
      ])
    })
    await subject.settle()
    await forEach(cases, async (each) => {
      await Promise.all([
        write(each, 'just written', each.given),
        write(each, 'half settled and half sent twice', restAndFirstAgain(each.given)),
      ])
    })
  })
  return (title, given, ask, placements = PLACEMENTS) => {
    const own = cases.find((other) => isSame(other.given, given)) ?? newCase(subject, given)
    if (!cases.includes(own)) cases.push(own)
    for (const placement of placements) {
      own.asked.add(placement)
      it(`${title} (${placement})`, async () => {
        if (own.failure !== undefined) throw own.failure
        await ask(subject.reader(own.gridIds[placement]), own.gridIds[placement])
      })
    }
  }
}

/** Questions about the very same records share their Grids: asking changes nothing. */
function isSame(a: Given, b: Given): boolean {
  return a.spans === b.spans && a.logs === b.logs && a.points === b.points && a.apdex === b.apdex
}

function newCase(subject: Subject, given: Given): Case {
  const gridIds = {
    'just written': subject.newGrid(),
    settled: subject.newGrid(),
    'half settled and half sent twice': subject.newGrid(),
  }
  return { given, gridIds, asked: new Set() }
}

/** A case that cannot be written fails its own tests only. */
async function forEach(cases: Case[], act: (each: Case) => Promise<void>): Promise<void> {
  await Promise.all(
    cases.map(async (each) => {
      try {
        await act(each)
      } catch (failure) {
        each.failure ??= failure
      }
    }),
  )
}

function halfOf({ spans = [], logs = [], points = [] }: Records, half: 'first' | 'second'): Records {
  return { spans: cut(spans, half), logs: cut(logs, half), points: cut(points, half) }
}

function restAndFirstAgain(given: Records): Records {
  const first = halfOf(given, 'first')
  const second = halfOf(given, 'second')
  return {
    spans: [...(second.spans ?? []), ...(first.spans ?? [])],
    logs: [...(second.logs ?? []), ...(first.logs ?? [])],
    points: [...(second.points ?? []), ...(first.points ?? [])],
  }
}

function cut<Row>(rows: Row[], half: 'first' | 'second'): Row[] {
  const middle = Math.ceil(rows.length / 2)
  return half === 'first' ? rows.slice(0, middle) : rows.slice(middle)
}
