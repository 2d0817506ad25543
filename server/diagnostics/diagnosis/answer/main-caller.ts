import type { Inquiry } from '../causes/inquiry.ts'
import { type EdgeSeries, minutesOf, type SeriesSums, sumsOver } from '../series/minute-series.ts'

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

/**
 * The time that calls take beyond the usual, in milliseconds a minute. Each that fails beyond the usual counts as a second of it.
 * As many calls as usual: who tries again and again does not suffer more for it.
 */
function burdenOf(edge: EdgeSeries, episode: Inquiry['episode'], calm: number[]): number {
  const during = sumsOver(edge, minutesOf(episode))
  const before = sumsOver(edge, calm)
  const callsPerMinute = before.requests / Math.max(1, calm.length)
  return Math.max(0, callsPerMinute * (perCall(during) - perCall(before)))
}

function perCall({ requests, durationMs, errors }: SeriesSums): number {
  return (durationMs + 1000 * errors) / Math.max(1, requests)
}
