import type { ServerProcess } from '../server-process.ts'
import { nanosecondsOf, type OtlpRecord } from './otlp-records.ts'
import { askDiagnostics, send, type TestGrid } from './scenario-grid.ts'

const MINUTE_MS = 60_000
const POLL_MS = 250

/** What looks in the background, which answers come of it, and what is in them once it has found what there is to be found. */
const LOOKS = [
  { answers: ['/changes', '/timeline'], path: '/timeline', found: 'new_service' },
  { answers: ['/alerts', '/timeline'], path: '/alerts', found: 'High Error Rate' },
]

/**
 * Resolves once the background has looked through everything that was sent until now and that these answers are made of. What
 * comes late counts as live only when a second look finds nothing more, so that alerts are looked for twice.
 */
export async function untilLooked(
  server: ServerProcess,
  makeGrid: (name: string) => Promise<TestGrid>,
  awaited: string[],
): Promise<void> {
  await lookedOnce(server, makeGrid, awaited)
  if (awaited.includes('/alerts')) await lookedOnce(server, makeGrid, ['/alerts'])
}

/** A look goes from the oldest Grid to the newest, so a Grid is made in which there is something to be found. */
async function lookedOnce(
  server: ServerProcess,
  makeGrid: (name: string) => Promise<TestGrid>,
  awaited: string[],
): Promise<void> {
  const grid = await makeGrid('the last one that is looked at')
  const nowMs = Date.now()
  const failing = Array.from({ length: 400 }, (_, n) => failedRequest('failing', nowMs - n * 1000, n))
  await send(server, grid, 'traces', [failedRequest('old', nowMs - 180 * MINUTE_MS, 1000), ...failing])
  for (const { path, found } of LOOKS.filter(({ answers }) => answers.some((each) => awaited.includes(each)))) {
    while (!JSON.stringify((await askDiagnostics(server, grid, path)).body).includes(found))
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
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
