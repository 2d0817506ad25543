import type { Inquiry } from '../causes/inquiry.ts'
import { type EdgeSeries, minutesOf, sumsOver } from '../series/minute-series.ts'

/** Who suffers so many times as much is the one to name. */
const FACTOR_MIN = 2

/** The service that suffers most from something outside: the suspect, unless another one suffers far more. */
export function mainCaller({ suspect, overview, episode, calm }: Inquiry, targetName: string): string {
  const calls = overview.edges.filter((edge) => !edge.targetIsService && edge.targetName === targetName)
  const burdens = calls.map((edge) => ({ name: edge.sourceName, burden: burdenOf(edge, episode, calm) }))
  const own = burdens.find(({ name }) => name === suspect.serviceName)?.burden ?? 0
  const [most] = burdens.toSorted((a, b) => b.burden - a.burden)
  return most && most.burden >= FACTOR_MIN * own ? most.name : suspect.serviceName
}

/** The time that calls took beyond the usual, in milliseconds. Each that failed beyond the usual counts as a second of it. */
function burdenOf(edge: EdgeSeries, episode: Inquiry['episode'], calm: number[]): number {
  const during = sumsOver(edge, minutesOf(episode))
  const before = sumsOver(edge, calm)
  const expected = during.requests / Math.max(1, before.requests)
  return Math.max(
    0,
    during.durationMs - expected * before.durationMs + 1000 * (during.errors - expected * before.errors),
  )
}
