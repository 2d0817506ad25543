import { type Latencies, mergedLatencies, NO_LATENCIES } from '../../../domain/latencies.ts'
import type { DiagnosticsReader, RequestGroup } from '../../../storage/diagnostics-reader.ts'
import type { Overview } from '../facts.ts'
import { indexOn, type MinuteAxis } from '../series/minute-axis.ts'
import { minutesOf } from '../series/minute-series.ts'
import type { Symptom } from '../symptoms/symptom.ts'
import type { Look } from './looks.ts'

export interface Compared {
  during: Latencies
  calm: Latencies
}

/**
 * How requests were distributed before and during each slowdown that is looked at. Asked by minute, one question for each
 * service, because that is answered from sums alone, whatever the stretches are.
 */
export async function gatherLatencies(
  reader: DiagnosticsReader,
  { axis }: Overview,
  looks: Look[],
): Promise<(symptom: Symptom) => Compared | undefined> {
  const slow = looks.map(({ symptom }) => symptom).filter(({ kind }) => kind === 'latency')
  const services = [...new Set(slow.map(({ serviceName }) => serviceName))]
  const groups = await Promise.all(
    services.map((serviceName) =>
      reader.requests({
        window: { startNs: axis.startNs, endNs: axis.endNs },
        by: ['service', 'operation', 'minute'],
        serviceName,
        latencies: true,
      }),
    ),
  )
  const byService = new Map(services.map((name, i) => [name, groups[i] ?? []]))
  return (symptom) => {
    if (symptom.kind !== 'latency') return undefined
    const own = (byService.get(symptom.serviceName) ?? []).filter((group) => belongs(group, symptom))
    return { during: over(own, axis, minutesOf(symptom.episode)), calm: over(own, axis, symptom.calm) }
  }
}

function belongs({ operationName }: RequestGroup, { subject }: Symptom): boolean {
  return subject.of !== 'operation' || subject.series.operationName === operationName
}

function over(groups: RequestGroup[], axis: MinuteAxis, minutes: Iterable<number>): Latencies {
  const wanted = new Set(minutes)
  const own = groups.filter(({ minuteNs }) => wanted.has(indexOn(axis, minuteNs) ?? -1))
  return own.length === 0 ? NO_LATENCIES : mergedLatencies(own.map(({ latencies }) => latencies))
}
