import { setTimeout as delay } from 'node:timers/promises'
import type { PlayGrid } from './open-server-player.ts'

const HOUR_MS = 3_600_000
const POLL_MS = 250
const WAIT_MAX_MS = 300_000

/**
 * Resolves once the background has looked through all Grids that are older than this one. It goes from the oldest to the newest,
 * so something is sent here that it is sure to find: a service that was not there in the Grid's first hours.
 */
export async function untilLooked(grid: PlayGrid): Promise<void> {
  const nowMs = Date.now()
  const requests = [request('old', nowMs - 3 * HOUR_MS, 1), request('new', nowMs - 1000, 2)]
  await grid.send('traces', JSON.stringify({ resourceSpans: requests }))
  const startedMs = performance.now()
  for (;;) {
    const timeline = await grid.api.get<object>(`/apm/diagnostics/${grid.id}/timeline`)
    if (JSON.stringify(timeline).includes('new_service')) return
    if (performance.now() - startedMs > WAIT_MAX_MS) throw new Error('the background does not get done with looking')
    await delay(POLL_MS)
  }
}

function request(serviceName: string, startMs: number, number: number): object {
  const span = {
    traceId: String(number).padStart(32, '0'),
    spanId: String(number).padStart(16, '0'),
    name: 'GET /',
    kind: 2,
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${startMs + 1}000000`,
  }
  const attributes = [{ key: 'service.name', value: { stringValue: serviceName } }]
  return { resource: { attributes }, scopeSpans: [{ spans: [span] }] }
}
