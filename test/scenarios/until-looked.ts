import type { ServerProcess } from '../server-process.ts'
import { nanosecondsOf, type OtlpRecord } from './otlp-records.ts'
import { askDiagnostics, send, type TestGrid } from './scenario-grid.ts'

const MINUTE_MS = 60_000
const POLL_MS = 250

/**
 * Resolves once the background has looked through everything that was sent until now. It goes from the oldest Grid to the newest,
 * so a Grid is made in which there is something to be found: an alert, and a service that is new.
 */
export async function untilLooked(server: ServerProcess, makeGrid: (name: string) => Promise<TestGrid>): Promise<void> {
  const grid = await makeGrid('the last one that is looked at')
  const nowMs = Date.now()
  const failing = Array.from({ length: 400 }, (_, n) => failedRequest('failing', nowMs - n * 1000, n))
  await send(server, grid, 'traces', [failedRequest('old', nowMs - 180 * MINUTE_MS, 1000), ...failing])
  for (const path of ['/timeline', '/alerts']) {
    for (;;) {
      const { body } = await askDiagnostics(server, grid, path)
      const text = JSON.stringify(body)
      if (text.includes(path === '/alerts' ? 'High Error Rate' : 'new_service')) break
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }
}

function failedRequest(service: string, startMs: number, number: number): OtlpRecord {
  const id = (number + 1).toString(16)
  return {
    resource: { 'service.name': service },
    record: {
      traceId: id.padStart(32, '0'),
      spanId: id.padStart(16, '0'),
      name: 'GET /',
      kind: 2,
      startTimeUnixNano: nanosecondsOf(startMs),
      endTimeUnixNano: nanosecondsOf(startMs + 1),
      status: { code: 2 },
    },
  }
}
