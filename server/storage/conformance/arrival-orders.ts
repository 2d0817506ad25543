import { beforeAll, it } from 'vitest'
import type { TelemetryReader } from '../telemetry-store.ts'
import type { Records, Subject } from './subject.ts'

/** Registers a test: however these parts arrive, each in a batch of its own, the Grid answers so. */
type AnswersInAnyOrder = (title: string, parts: Records[], ask: (reader: TelemetryReader) => Promise<void>) => void

const SETTLING = ['settled after each part', 'only the first part settled', 'nothing settled'] as const

interface Case {
  parts: Records[]
  gridIds: Record<(typeof SETTLING)[number], string>
}

/**
 * Fills three Grids for each order in which the parts of a case can arrive. The Grids of a whole area are filled together, so
 * that a backend settles as often as the longest case has parts, not a few times a test.
 */
export function answersInAnyOrder(subject: Subject): AnswersInAnyOrder {
  const cases: Case[] = []
  beforeAll(async () => {
    const stages = Math.max(0, ...cases.map(({ parts }) => parts.length))
    for (let stage = 0; stage < stages; stage++) {
      await writeAll(cases, ({ parts, gridIds }) =>
        subject.write(gridIds['settled after each part'], parts[stage] ?? {}),
      )
      if (stage === 0)
        await writeAll(cases, ({ parts, gridIds }) =>
          subject.write(gridIds['only the first part settled'], parts[0] ?? {}),
        )
      await subject.settle()
    }
    await writeAll(cases, async ({ parts, gridIds }) => {
      for (const part of parts.slice(1)) await subject.write(gridIds['only the first part settled'], part)
      for (const part of parts) await subject.write(gridIds['nothing settled'], part)
    })
  })
  return (title, parts, ask) => {
    const own = ordersOf(parts).map((order) => newCase(subject, order))
    cases.push(...own)
    for (const settling of SETTLING) {
      it(`${title} (in any order, ${settling})`, async () => {
        for (const { gridIds } of own) await ask(subject.reader(gridIds[settling]))
      })
    }
  }
}

async function writeAll(cases: Case[], write: (each: Case) => Promise<void>): Promise<void> {
  await Promise.all(cases.map(write))
}

function newCase(subject: Subject, parts: Records[]): Case {
  const gridIds = {
    'settled after each part': subject.newGrid(),
    'only the first part settled': subject.newGrid(),
    'nothing settled': subject.newGrid(),
  }
  return { parts, gridIds }
}

function ordersOf<Part>(parts: Part[]): Part[][] {
  if (parts.length <= 1) return [parts]
  return parts.flatMap((first, index) => ordersOf(parts.toSpliced(index, 1)).map((rest) => [first, ...rest]))
}
