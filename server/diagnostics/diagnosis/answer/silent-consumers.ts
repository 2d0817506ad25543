import { wordCause } from '../catalogue.ts'
import { trafficChange } from '../causes/traffic-change.ts'
import { clock } from '../causes/wording.ts'
import type { Finding } from '../diagnosis.ts'
import type { Overview } from '../facts.ts'
import { windowOf } from '../series/minute-axis.ts'
import type { Silence } from '../symptoms/silences.ts'

/** A sender whose own requests fell below this share has stopped sending, and explains the silence itself. */
const STILL_ACTIVE_FACTOR = 0.5
const CONFIDENCE = 0.75

/**
 * Services that took messages and take none any more, although those who send them go on. Nobody waits for them, so no request
 * fails and no trace shows it.
 */
export function silentConsumers(silences: Silence[], overview: Overview): Finding[] {
  const { axis, edges, services } = overview
  return silences.flatMap(({ serviceName, episode, requestsPerMinute }): Finding[] => {
    const calm = Array.from({ length: episode.from }, (_, minute) => minute)
    const senders = edges.filter(({ targetName, isMessage }) => isMessage && targetName === serviceName)
    const active = senders.flatMap(({ sourceName }) => {
      const series = services.find((service) => service.serviceName === sourceName)
      const change = series && trafficChange(series, axis, episode, calm)
      return change && change.factor >= STILL_ACTIVE_FACTOR ? [{ sourceName, change }] : []
    })
    const [sender] = active.toSorted((a, b) => b.change.during - a.change.during)
    if (sender === undefined) return []
    const sinceNs = windowOf(axis, episode).startNs
    return [
      {
        cause: wordCause('unreachableService', serviceName, ''),
        confidence: CONFIDENCE,
        severity: 'warning',
        affectedServices: [serviceName],
        evidence: [
          `${serviceName} took ${Math.round(requestsPerMinute * 10) / 10} messages a minute until ${clock(sinceNs)}, and none since`,
          `${sender.sourceName}, whose messages it takes, goes on with ${Math.round(sender.change.during)} requests a minute, ${Math.round(sender.change.before)} before`,
        ],
        firstDetectedNs: sinceNs,
        impact: [],
        sampledTraceCount: 0,
      },
    ]
  })
}
