import { fork } from 'node:child_process'
import { compiled } from '../compiled.ts'
import type { LoadOptions } from './load-options.ts'
import type { LoadCommand, LoadMessage } from './load-process.ts'
import type { LoadReport } from './load-report.ts'

export interface Load {
  /** As of a moment ago. */
  readonly acknowledgedSpans: number
  /** Resolves when the load is over and every batch that was begun is acknowledged. */
  readonly report: Promise<LoadReport>
  stop(): void
  /** Ends also what is not acknowledged. */
  giveUp(): void
}

/** Starts sending from another process. */
export function startLoad(options: LoadOptions): Load {
  const child = fork(compiled('load/load-process.js'), [JSON.stringify(options)])
  const tell = (command: LoadCommand) => child.connected && child.send(command)
  let acknowledgedSpans = 0
  const report = new Promise<LoadReport>((resolve, reject) => {
    child.on('message', (message: LoadMessage) => {
      if ('report' in message) {
        acknowledgedSpans = message.report.acknowledgedSpans
        resolve(message.report)
        child.disconnect()
      } else acknowledgedSpans = message.acknowledgedSpans
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      reject(new Error(`the load process ended before its report (${signal ?? `code ${code}`})`))
    })
  })
  return {
    get acknowledgedSpans() {
      return acknowledgedSpans
    },
    report,
    stop: () => tell('stop'),
    giveUp: () => tell('give up'),
  }
}
