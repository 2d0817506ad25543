import { Session } from '../../server/storage/duckdb/session.ts'

/** Tables that sealing would not fill if there were no aggregates. */
const OF_AGGREGATES =
  /^(?:INSERT INTO \w+\.(minute_\w+|\w+_corrections|message_links)|INSERT INTO (foreign_\w+)|CREATE OR REPLACE TEMP TABLE (kin_\w+|known_spans))\b/

/** What the statements that make aggregates cost, while nothing else runs in this process. */
export class StatementCosts {
  private readonly costsUs = new Map<string, number>()

  /** From now on, every statement of every session is looked at. */
  watch(): void {
    const { run } = Session.prototype
    const add = (sql: string, us: number) => this.add(sql, us)
    Session.prototype.run = async function (this: Session, ...asked) {
      const before = process.cpuUsage()
      await run.apply(this, asked)
      const { user, system } = process.cpuUsage(before)
      add(asked[0], user + system)
    }
  }

  get totalUs(): number {
    return this.sorted.reduce((sum, { us }) => sum + us, 0)
  }

  get sorted(): { name: string; us: number }[] {
    return [...this.costsUs].map(([name, us]) => ({ name, us })).sort((a, b) => b.us - a.us)
  }

  private add(sql: string, us: number): void {
    const name = nameOf(sql)
    if (name !== undefined) this.costsUs.set(name, (this.costsUs.get(name) ?? 0) + us)
  }
}

function nameOf(sql: string): string | undefined {
  // Callees that only other hours know of get names.
  if (sql.includes('SELECT DISTINCT callee FROM kin_calls')) return 'names of callees'
  return OF_AGGREGATES.exec(sql.trimStart())
    ?.slice(1)
    .find((table) => table !== undefined)
}
