import { DuckDBConnection } from '@duckdb/node-api'
import { Session } from '../../server/storage/duckdb/engine/session.ts'
import { KeptHours } from '../../server/storage/duckdb/kept/kept-hours.ts'
import { LiveSpans } from '../../server/storage/duckdb/live/live-spans.ts'

/** Tables that sealing would not fill if there were no aggregates. */
const SUMS = /^(minute_\w+|\w+_corrections)$/
/** Statements that would not be needed. */
const STATEMENTS = /\b(failures|message_links|unknown_ids|live_source|live_texts|live_origins)\b/

/** What the steps that make aggregates cost, while nothing else runs in this process. */
export class StepCosts {
  private readonly costsUs = new Map<string, number>()

  get totalUs(): number {
    return this.sorted.reduce((sum, { us }) => sum + us, 0)
  }

  get sorted(): { name: string; us: number }[] {
    return [...this.costsUs].map(([name, us]) => ({ name, us })).sort((a, b) => b.us - a.us)
  }

  /** From now on, every step is looked at. */
  watch(): void {
    this.watchStatements()
    this.watchAppenders()
    const measured = <T>(name: string, work: () => T) => this.measured(name, work)
    const { confirm } = LiveSpans.prototype
    LiveSpans.prototype.confirm = function (this: LiveSpans, ...args) {
      measured('joining and summing', () => confirm.apply(this, args))
    }
    const { sealed } = KeptHours.prototype
    KeptHours.prototype.sealed = function (this: KeptHours, ...args) {
      measured('keeping sums', () => sealed.apply(this, args))
    }
  }

  measured<T>(name: string, work: () => T): T {
    const before = process.cpuUsage()
    const result = work()
    this.add(name, before)
    return result
  }

  private watchStatements(): void {
    const add = (name: string, before: NodeJS.CpuUsage) => this.add(name, before)
    const { run } = Session.prototype
    Session.prototype.run = async function (this: Session, ...asked) {
      const before = process.cpuUsage()
      await run.apply(this, asked)
      const [, name] = STATEMENTS.exec(asked[0]) ?? []
      if (name) add(name, before)
    }
  }

  private watchAppenders(): void {
    const measured = <T>(name: string, work: () => T) => this.measured(name, work)
    const { createAppender } = DuckDBConnection.prototype
    DuckDBConnection.prototype.createAppender = async function (this: DuckDBConnection, ...args) {
      const appender = await createAppender.apply(this, args)
      const [table] = args
      if (!SUMS.test(table)) return appender
      const { appendDataChunk, flushSync } = appender
      appender.appendDataChunk = (chunk) => measured(table, () => appendDataChunk.call(appender, chunk))
      appender.flushSync = () => measured(table, () => flushSync.call(appender))
      return appender
    }
  }

  private add(name: string, before: NodeJS.CpuUsage): void {
    const { user, system } = process.cpuUsage(before)
    this.costsUs.set(name, (this.costsUs.get(name) ?? 0) + user + system)
  }
}
