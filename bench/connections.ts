import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { IdleConnections } from './connections/idle-connections.ts'
import { repeated } from './query/repeated.ts'
import { numericOption } from './report/numeric-option.ts'
import { say, sayMachine } from './report/progress.ts'
import { atMost, type Figure, figure, printFigures } from './report/table.ts'
import { MeasuredServer } from './server/measured-server.ts'
import { usageOf } from './server/process-usage.ts'

// Whether the server answers while very many connections are open.
const { values } = parseArgs({ options: { connections: { type: 'string' } } })
const count = numericOption('connections', values.connections, 10_000)
const CHECKS = 20

sayMachine()
const server = await MeasuredServer.create()
const idle = new IdleConnections()
try {
  await server.start()
  const before = usageOf(server.pid).rssMb
  say(`opening ${count} connections`)
  const startedMs = performance.now()
  const opening = idle.add(Number(new URL(server.url).port), count)
  const whileOpening = await readyzUntil(opening)
  const openingMs = performance.now() - startedMs
  await delay(500)
  const afterwards = await repeated(readyz, { repetitions: CHECKS })
  printFigures(`${count} connections`, [
    figure('opened within', openingMs, 'ms'),
    figure('kept by the server', idle.open, ''),
    figure('refused or closed by the server', count - idle.open, ''),
    atMost('/readyz while they open, max', whileOpening, 1_000, 'ms'),
    atMost('/readyz while they are open, max', afterwards.p99Ms, 1_000, 'ms'),
    figure('memory before', before, 'MB'),
    figure('memory with them', usageOf(server.pid).rssMb, 'MB'),
  ] satisfies Figure[])
} finally {
  idle.close()
  await server.remove()
}

/** The longest that `/readyz` took until then. */
async function readyzUntil(end: Promise<void>): Promise<number> {
  let isOver = false
  let longestMs = 0
  void end.finally(() => {
    isOver = true
  })
  while (!isOver) {
    const beganMs = performance.now()
    await readyz()
    longestMs = Math.max(longestMs, performance.now() - beganMs)
    await delay(20)
  }
  return longestMs
}

/** Over a new connection each time, as a probe does it. */
async function readyz(): Promise<void> {
  const answer = await fetch(`${server.url}/readyz`, { headers: { connection: 'close' } })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`/readyz answered ${answer.status}`)
}
