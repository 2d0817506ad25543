import { wordCause } from '../catalogue.ts'
import { trafficChange } from '../causes/traffic-change.ts'
import { clock } from '../causes/wording.ts'
import type { Finding } from '../diagnosis.ts'
import type { Overview } from '../facts.ts'
import { type MinuteAxis, windowOf } from '../series/minute-axis.ts'
import type { EdgeSeries, MinuteSeries } from '../series/minute-series.ts'
import type { Silence } from '../symptoms/silences.ts'

/** A sender whose messages fell below this share has stopped sending, and explains the silence itself. */
const STILL_ACTIVE_FACTOR = 0.5
const SCORE = 0.85

/**
 * Services that took messages and take none any more, although those who send them go on. Nobody waits for them, so no request
 * fails and no trace shows it.
 */
export function silentConsumers(silences: Silence[], overview: Overview): Finding[] {
  const { axis, edges } = overview
  return silences.flatMap(({ serviceName, episode, requestsPerMinute }): Finding[] => {
    const calm = Array.from({ length: episode.from }, (_, minute) => minute)
    const senders = edges.filter(({ targetName, isMessage }) => isMessage && targetName === serviceName)
    const active = senders.flatMap(({ sourceName }) => {
      const change = trafficChange(messagesOf(sourceName, edges, axis), axis, episode, calm)
      return change.factor >= STILL_ACTIVE_FACTOR ? [{ sourceName, change }] : []
    })
    const [sender] = active.toSorted((a, b) => b.change.during - a.change.during)
    if (sender === undefined) return []
    const sinceNs = windowOf(axis, episode).startNs
    return [
      {
        cause: wordCause('unreachableService', serviceName, ''),
        score: SCORE,
        severity: 'warning',
        affectedServices: [serviceName],
        evidence: [
          `${serviceName} took ${tenths(requestsPerMinute)} messages a minute until ${clock(sinceNs)}, and none since`,
          `${sender.sourceName}, whose messages it takes, goes on sending ${tenths(sender.change.during)} a minute, ${tenths(sender.change.before)} before`,
        ],
        firstDetectedNs: sinceNs,
        endNs: windowOf(axis, episode).endNs,
        impact: [],
        // Each message that nobody takes is part of a trace.
        sampledTraceCount: Math.round(sender.change.during * (episode.to - episode.from)),
      },
    ]
  })
}

/** To whomever: a message that nobody takes counts for the broker and not for who used to take it. */
function messagesOf(sourceName: string, edges: EdgeSeries[], { length }: MinuteAxis): MinuteSeries {
  const own = edges.filter((edge) => edge.isMessage && edge.sourceName === sourceName)
  const zeros = new Array<number>(length).fill(0)
  const requests = zeros.map((_, minute) => own.reduce((sum, edge) => sum + (edge.requests[minute] ?? 0), 0))
  return { requests, errors: zeros, durationMs: zeros }
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10
}
