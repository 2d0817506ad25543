import type { Failures, Telling } from '../../domain/failures.ts'
import { inOneOrder, textOf } from './same-rows.ts'

/** Failed spans as rows that can be compared: which numbers stand for traces and spans is a backend's own choice. */
export function failureRows(failures: Failures): Record<string, unknown>[] {
  const { count, traces, spans, parents, startsNs, durationsNs, kinds, services, operations, names, told, tellings } =
    failures
  // Which samples there are is a backend's choice.
  const telling = (row: number) => ({ ...(tellings[told[row] as number] as Telling), samples: [] })
  const rows = Array.from({ length: count }, (_, row) => ({
    startNs: startsNs[row],
    durationNs: durationsNs[row],
    kind: kinds[row] === 0 ? 1 : kinds[row],
    serviceName: names[services[row] as number],
    operationName: names[operations[row] as number],
    ...telling(row),
  }))
  return inOneOrder(
    rows.map((own, row) => ({
      ...own,
      traceMates: traces.filter((trace) => trace === traces[row]).length,
      hasParent: parents[row] !== 0,
      parent: rows.filter((_, other) => traces[other] === traces[row] && spans[other] === parents[row]).map(textOf),
    })),
  )
}
