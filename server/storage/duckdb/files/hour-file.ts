import type { Session } from '../engine/session.ts'
import { packLatencies } from '../latencies/rewrite-latencies.ts'
import { usageOfLogs } from '../logs/log-usage.ts'
import { createTables, HOUR_FILE_TABLES } from '../schema.ts'
import { drawnOfSpans } from '../seal/drawn-lot.ts'
import { failedSpansOf, sealFailures } from '../seal/seal-failures.ts'
import { AttachableFile, type Attaching } from './attachable-file.ts'

interface HourFileName {
  gridId: string
  hour: number
  generation: number
  path: string
  isStripped: boolean
}

/** One hour of one Grid. */
export class HourFile extends AttachableFile {
  readonly gridId: string
  readonly hour: number
  readonly generation: number
  /** Whether only sums are left of the hour. */
  readonly isStripped: boolean
  /** False once it was seen to be in one order, until something is sealed into it. */
  mayBeScattered = true
  /** Whether it was made by this process, and nothing was sealed into it yet. */
  isEmpty = false
  /** When something was last sealed into it, as far as this process knows. */
  changedAtMs = 0

  constructor(attaching: Attaching, { gridId, hour, generation, path, isStripped }: HourFileName) {
    super(attaching, path)
    this.gridId = gridId
    this.hour = hour
    this.generation = generation
    this.isStripped = isStripped
  }

  override async create(): Promise<void> {
    await super.create()
    this.isEmpty = true
  }

  protected override async ensureTables(session: Session, alias: string, isNew: boolean): Promise<void> {
    if (isNew) await session.transact(...createTables(alias, HOUR_FILE_TABLES))
    else await ensureTables(session, alias)
  }
}

/** Tables are made together, so that what came last stands for all. */
async function ensureTables(session: Session, alias: string): Promise<void> {
  const has = (what: string) => canRead(session, `SELECT ${what} LIMIT 0`)
  if (await has(`counts FROM ${alias}.minute_latencies, ${alias}.tellings`)) return
  if (!(await has(`* FROM ${alias}.tellings`))) await makeTables(session, alias, has)
  if (await has(`bucket FROM ${alias}.minute_latencies`)) await packLatencies(session, alias)
}

async function makeTables(session: Session, alias: string, has: (what: string) => Promise<boolean>): Promise<void> {
  const tables = createTables(alias, HOUR_FILE_TABLES)
  if (!(await has(`* FROM ${alias}.sealed`))) return await session.transact(...tables)
  const [hasTemplates, hasDrawn] = [
    await has(`template_no FROM ${alias}.logs`),
    await has(`* FROM ${alias}.drawn_spans`),
  ]
  await session.run('BEGIN TRANSACTION')
  try {
    for (const table of tables) await session.run(table)
    // Files of an earlier program do not say which open file a trace first came from: any, as long ago as can be.
    await session.run(`ALTER TABLE ${alias}.traces ADD COLUMN IF NOT EXISTS first_open UBIGINT DEFAULT 0`)
    if (!hasDrawn) await session.run(drawnOfSpans(alias))
    if (!hasTemplates) {
      await session.run(`ALTER TABLE ${alias}.logs ADD COLUMN template_no UINTEGER`)
      await session.run(usageOfLogs(alias, `${alias}.logs`, 'NULL'))
    }
    await sealFailures(session, alias, failedSpansOf(alias))
    await session.run(`DROP TABLE IF EXISTS ${alias}.failures`)
    await session.run('COMMIT')
  } catch (error) {
    await session.run('ROLLBACK').catch(() => undefined)
    throw error
  }
}

async function canRead(session: Session, sql: string): Promise<boolean> {
  return await session.run(sql).then(
    () => true,
    () => false,
  )
}
