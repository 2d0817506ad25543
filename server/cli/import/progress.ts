import { SingleBar } from 'cli-progress'
import { type Output, printLine } from '../shell.ts'

export interface Progress {
  /** Bytes that were read, and records that the server has taken. */
  show(bytes: number, records: number): void
  stop(): void
}

const LINE_EVERY_MS = 5_000

/** A bar on a terminal where the end is known, else a line now and then. */
export function createProgress(output: Output, bytesTotal: number | undefined): Progress {
  if (output.isTTY && bytesTotal !== undefined) return bar(output, bytesTotal)
  return lines(output, bytesTotal)
}

function bar(stream: Output, bytesTotal: number): Progress {
  const shown = new SingleBar({
    stream,
    format: '[{bar}] {percentage} % | {records} records | {eta_formatted} left',
    clearOnComplete: true,
    hideCursor: true,
  })
  shown.start(bytesTotal, 0, { records: 0 })
  return {
    show: (bytes, records) => shown.update(Math.min(bytes, bytesTotal), { records }),
    stop: () => shown.stop(),
  }
}

function lines(output: Output, bytesTotal: number | undefined): Progress {
  let toldMs = performance.now()
  return {
    show(bytes, records) {
      if (performance.now() - toldMs < LINE_EVERY_MS) return
      toldMs = performance.now()
      const share = bytesTotal ? `${Math.floor((100 * bytes) / bytesTotal)} %, ` : ''
      printLine(output, `${share}${records} records`)
    },
    stop: () => undefined,
  }
}
