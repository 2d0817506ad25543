import { setTimeout as delay } from 'node:timers/promises'
import type { LoadOptions } from '../load/load-options.ts'
import type { LoadReport } from '../load/load-report.ts'
import { startLoad } from '../load/start-load.ts'
import type { MeasuredServer } from '../server/measured-server.ts'
import { threadsOf, usageOf } from '../server/process-usage.ts'

export interface MeasuredLoad extends LoadReport {
  spansPerSecond: number
  serverCpuUsPerSpan: number
  serverRssMaxMb: number
  /** Processor time in µs during the load: of the thread that answers requests, and of the others, busiest first. */
  threads: { main: number; others: number[] }
}

const RSS_CHECK_MS = 250

/** Runs a load to its end and looks at what it costs the server. */
export async function measureLoad(server: MeasuredServer, options: LoadOptions): Promise<MeasuredLoad> {
  const before = usageOf(server.pid)
  const threadsBefore = new Map(threadsOf(server.pid).map(({ id, cpuUs }) => [id, cpuUs]))
  const load = startLoad(options)
  let serverRssMaxMb = before.rssMb
  let isOver = false
  const watching = (async () => {
    for (; !isOver; await delay(RSS_CHECK_MS)) serverRssMaxMb = Math.max(serverRssMaxMb, usageOf(server.pid).rssMb)
  })()
  const report = await server.during(load.report).finally(() => {
    isOver = true
    load.giveUp()
  })
  await watching
  const cpuUs = usageOf(server.pid).cpuUs - before.cpuUs
  return {
    ...report,
    spansPerSecond: report.acknowledgedSpans / report.seconds,
    serverCpuUsPerSpan: cpuUs / report.acknowledgedSpans,
    serverRssMaxMb,
    threads: threadsSince(server.pid, threadsBefore),
  }
}

function threadsSince(pid: number, before: Map<number, number>): MeasuredLoad['threads'] {
  const used = threadsOf(pid).map(({ id, cpuUs }) => ({ id, cpuUs: cpuUs - (before.get(id) ?? 0) }))
  const others = used.filter(({ id }) => id !== pid).map(({ cpuUs }) => cpuUs)
  return { main: used.find(({ id }) => id === pid)?.cpuUs ?? 0, others: others.sort((a, b) => b - a) }
}
