import type { ApdexThresholds } from '../../../domain/apdex.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import type { RequestStep } from '../../chart-reader.ts'
import type { RequestGroup, RequestQuestion, RequestSeries } from '../../diagnostics-reader.ts'
import { groupOf } from '../../request-steps.ts'
import type { OpenFigures } from '../live/open-figures.ts'
import type { Scope } from '../scope/scope.ts'
import { OpenRequests } from './open-requests.ts'
import { RequestTable } from './request-table.ts'
import { SealedRequests } from './sealed-requests.ts'
import { dayBefore, type KnownServices, knownServices } from './services-known.ts'

/** The scope must reach a day back from the window's end. */
export async function requests(
  scope: Scope,
  question: RequestQuestion,
  apdex: ApdexThresholds,
  given?: KnownServices,
): Promise<RequestGroup[]> {
  return (await requestTable(scope, question, apdex, given)).groups()
}

interface SeriesQuestion {
  window: TimeWindow
  by: 'service' | 'operation'
  limit: number
}

/** The scope must reach a day back from the window's end. */
export async function requestSeries(
  scope: Scope,
  asked: SeriesQuestion,
  apdex: ApdexThresholds,
): Promise<RequestSeries[]> {
  return (await requestTable(scope, questionOf(asked), apdex)).series(asked.window, asked.limit)
}

/** The same from figures that have all of the window. */
export function requestSeriesInMemory(
  figures: OpenFigures,
  known: KnownServices,
  asked: SeriesQuestion,
  apdex: ApdexThresholds,
): RequestSeries[] {
  const question = questionOf(asked)
  const table = new RequestTable(question.by)
  new OpenRequests(figures, question, apdex, known, table).addSums()
  return table.series(asked.window, asked.limit)
}

function questionOf({ window, by }: SeriesQuestion): RequestQuestion {
  return { window, by: by === 'service' ? ['service', 'minute'] : ['service', 'operation', 'minute'], latencies: false }
}

async function requestTable(
  scope: Scope,
  question: RequestQuestion,
  apdex: ApdexThresholds,
  given?: KnownServices,
): Promise<RequestTable> {
  const figures = await scope.openFigures()
  const known = given ?? (await knownServices(scope, dayBefore(question.window)))
  const table = new RequestTable(question.by, question.stepMinutes)
  const open = new OpenRequests(figures, question, apdex, known, table)
  open.addSums()
  if (question.latencies) open.addBuckets()
  if (question.latencies && !question.by.includes('minute')) open.addDurations()
  const sealed = new SealedRequests(scope, question, apdex, known, table)
  await sealed.prepare()
  await sealed.addSums()
  if (question.latencies) await addSealedLatencies(sealed, table, question)
  return table
}

/** Steps of hours of which nothing is unsealed, and of which the window has all. */
export async function sealedSteps(
  scope: Scope,
  question: RequestQuestion,
  groupBy: string,
  apdex: ApdexThresholds,
  known: KnownServices,
): Promise<RequestStep[]> {
  const table = new RequestTable(question.by, question.stepMinutes)
  const sealed = new SealedRequests(scope, question, apdex, known, table)
  await sealed.prepare()
  await sealed.addSums()
  if (question.latencies) await sealed.addBuckets()
  return table.steps((group) => groupOf(group, groupBy))
}

/** The same as `requests` from figures that have all of the window; undefined where some durations are not among them. */
export function requestsInMemory(
  figures: OpenFigures,
  known: KnownServices,
  question: RequestQuestion,
  apdex: ApdexThresholds,
): RequestGroup[] | undefined {
  const table = new RequestTable(question.by, question.stepMinutes)
  const requests = new OpenRequests(figures, question, apdex, known, table)
  requests.addSums()
  if (!question.latencies) return table.groups()
  if (!question.by.includes('minute') && table.hasSmall) {
    requests.addDurations()
    if (!requests.addKeptDurations()) return undefined
  }
  if (question.by.includes('minute') || table.hasLarge) requests.addBuckets()
  return table.groups()
}

/** Small groups have their durations told one by one, but minutes, of which there are too many. */
async function addSealedLatencies(sealed: SealedRequests, table: RequestTable, { by }: RequestQuestion): Promise<void> {
  const isByMinute = by.includes('minute')
  const small = isByMinute ? [] : table.smallServices()
  if (small?.length !== 0) await sealed.addDurations(small)
  // Spans that are no longer kept cannot be told one by one.
  if (isByMinute || table.hasLarge || table.lacksDurations) await sealed.addBuckets()
}
