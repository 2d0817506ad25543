import { healthOverview } from '../../diagnostics/health.ts'
import { windowsAt } from '../../diagnostics/windows.ts'
import { isoOfNs, NS_PER_MS } from '../../domain/time-window.ts'
import { READS } from '../access.ts'
import { storableWindow } from '../datetime.ts'
import type { Routes } from '../endpoint.ts'
import { Problem } from '../problem.ts'
import * as schemas from '../schemas/diagnostics.ts'
import { datetimeOf } from '../time-range.ts'

const PREFIX = '/apm/diagnostics/{gridSecondaryId}'

export function registerDiagnostics({ onGrid }: Routes): void {
  onGrid(
    {
      tag: 'Diagnostics',
      access: READS,
      method: 'GET',
      path: `${PREFIX}/health`,
      summary: 'Get the health of all services',
      description:
        '`unhealthy` from an error rate of 25 % or below an apdex of 0.5, `degraded` from 5 % or below 0.7; with under 5 requests at worst `degraded`. A service that had requests in the hour before the window and none in it is listed with 0 requests: `unhealthy` where its callers fail to reach it, else `unknown`.',
      query: schemas.momentQuery,
      response: schemas.healthOverview,
    },
    async ({ reader, grid, query, nowMs }) => {
      const atNs = momentOf(query.at, nowMs)
      const windows = windowsAt(atNs, query.window)
      const current = storableWindow(windows.current)
      const [asked, askedBefore, unanswered] = await Promise.all([
        reader.serviceRequests(current, grid.apdex),
        reader.serviceRequests(storableWindow(windows.baseline), grid.apdex),
        reader.unansweredCalls(current),
      ])
      const health = healthOverview({ current: asked, baseline: askedBefore, unanswered })
      return { overallStatus: health.overallStatus, timestamp: isoOfNs(atNs), services: health.services }
    },
  )
}

function momentOf(at: string | undefined, nowMs: number): bigint {
  const nowNs = BigInt(nowMs) * NS_PER_MS
  if (at === undefined) return nowNs
  const atNs = datetimeOf(['at', at], 'invalid-parameter')
  if (atNs > nowNs) throw new Problem('invalid-parameter', 'at must not be in the future.')
  return atNs
}
