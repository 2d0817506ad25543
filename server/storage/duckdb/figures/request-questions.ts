import type { ApdexThresholds } from '../../../domain/apdex.ts'
import type { RequestGroup, RequestQuestion } from '../../diagnostics-reader.ts'
import type { Scope } from '../scope.ts'
import { OpenRequests } from './open-requests.ts'
import { RequestTable } from './request-table.ts'
import { SealedRequests } from './sealed-requests.ts'
import { dayBefore, knownServices } from './services-known.ts'

/** The scope must reach a day back from the window's end. */
export async function requests(
  scope: Scope,
  question: RequestQuestion,
  apdex: ApdexThresholds,
): Promise<RequestGroup[]> {
  const figures = await scope.openFigures()
  const known = await knownServices(scope, dayBefore(question.window))
  const table = new RequestTable(question.by)
  const open = new OpenRequests(figures, question, apdex, known, table)
  open.addSums()
  if (question.latencies) open.addLatencies()
  const sealed = new SealedRequests(scope, question, apdex, known, table)
  await sealed.prepare()
  await sealed.addSums()
  if (question.latencies) await addSealedLatencies(sealed, table, question)
  return table.groups()
}

/** Small groups have their durations told one by one, but minutes, of which there are too many. */
async function addSealedLatencies(sealed: SealedRequests, table: RequestTable, { by }: RequestQuestion): Promise<void> {
  const isByMinute = by.includes('minute')
  const small = isByMinute ? [] : table.smallServices()
  if (small?.length !== 0) await sealed.addDurations(small)
  // Spans that are no longer kept cannot be told one by one.
  if (isByMinute || table.hasLarge || sealed.hasStripped) await sealed.addBuckets()
}
