import { type AttachOptions, attachFile, exists, removeFile, removeLogs } from './data-file.ts'
import { drawnOfSpans } from './drawn-lot.ts'
import { usageOfLogs } from './log-usage.ts'
import { createTables, HOUR_FILE_TABLES } from './schema.ts'
import { failedSpansOf, sealFailures } from './seal-failures.ts'
import type { Session } from './session.ts'
import { Turns } from './turns.ts'

/** A file of few rows takes a quarter of the space with blocks of this size, and a file of many takes no more. */
export const HOUR_FILE_BLOCK_BYTES = 65_536

/**
 * A sealing adds whole groups of rows as they are, and what is left over is written again with the next sealing. Groups of a
 * quarter of the usual size leave little over: sealing costs half, and the file has no free space.
 */
export const HOUR_FILE_ROWS_PER_GROUP = 30_720

/** Where hour files are attached, and under which names. */
export interface Attaching extends AttachOptions {
  session: Session
  attached: Set<HourFile>
  nextAlias(): string
}

interface HourFileName {
  gridId: string
  hour: number
  generation: number
  path: string
  isStripped: boolean
}

/** One hour of one Grid. It is attached while something uses it, and as long afterwards as there is room. */
export class HourFile {
  readonly gridId: string
  readonly hour: number
  readonly generation: number
  readonly path: string
  /** Whether only sums are left of the hour. */
  readonly isStripped: boolean
  /** The name under which statements know it. It changes while the file is used only where the file had to be given up. */
  alias = ''
  users = 0
  lastUsed = 0
  /** It was removed, replaced or set aside: nobody may begin to use it. */
  gone = false
  /** False once it was seen to be in one order, until something is sealed into it. */
  mayBeScattered = true
  /** Whether it was made by this process, and nothing was sealed into it yet. */
  isEmpty = false
  /** When something was last sealed into it, as far as this process knows. */
  changedAtMs = 0
  /** Undefined where it may have changed since somebody looked. */
  diskBytes: number | undefined
  private readonly attaching: Attaching
  private readonly turns = new Turns()
  private isWhole = false
  private onUnused: (() => void)[] = []

  constructor(attaching: Attaching, { gridId, hour, generation, path, isStripped }: HourFileName) {
    this.attaching = attaching
    this.gridId = gridId
    this.hour = hour
    this.generation = generation
    this.path = path
    this.isStripped = isStripped
  }

  /** Attaches the file where it is not, and keeps it attached until the returned function is called. */
  async use(): Promise<() => void> {
    this.users++
    try {
      await this.inTurn(() => this.attach())
    } catch (error) {
      this.release()
      throw error
    }
    return () => this.release()
  }

  /** Makes the file. After a failure nothing is left of it. */
  async create(): Promise<void> {
    await this.inTurn(async () => {
      await removeLogs(this.path)
      try {
        await this.attachAs({ ...this.attaching, blockSizeBytes: HOUR_FILE_BLOCK_BYTES })
        this.isEmpty = true
      } catch (error) {
        await removeFile(this.path).catch(() => undefined)
        throw error
      }
    })
  }

  /** Lets the file go where nothing uses it. */
  async detachUnused(): Promise<void> {
    await this.inTurn(async () => {
      if (this.users === 0) await this.detach()
    })
  }

  /** Lets the file go though it may be used: the statements that know it fail, and whoever uses it next attaches it anew. */
  async detachNow(): Promise<void> {
    await this.inTurn(() => this.detach())
  }

  async unused(): Promise<void> {
    if (this.users > 0) await new Promise<void>((resolve) => this.onUnused.push(resolve))
  }

  private release(): void {
    if (--this.users > 0) return
    for (const resolve of this.onUnused.splice(0)) resolve()
  }

  private inTurn<T>(task: () => Promise<T>): Promise<T> {
    return this.turns.take('', task)
  }

  private async attach(): Promise<void> {
    if (this.attaching.attached.has(this)) return
    // A file that is attached and not there would be made, and be empty.
    if (!(await exists(this.path))) throw new Error(`Corrupt database file: ${this.path} is not there`)
    await this.attachAs(this.attaching)
  }

  private async attachAs(options: AttachOptions): Promise<void> {
    const { session, attached, nextAlias } = this.attaching
    const alias = nextAlias()
    await attachFile(session, this.path, alias, { ...options, rowsPerGroup: HOUR_FILE_ROWS_PER_GROUP })
    try {
      if (!this.isWhole) await ensureTables(session, alias)
    } catch (error) {
      await session.run(`DETACH ${alias}`)
      throw error
    }
    this.isWhole = true
    this.alias = alias
    attached.add(this)
  }

  private async detach(): Promise<void> {
    const { session, attached } = this.attaching
    if (!attached.has(this)) return
    await session.run(`DETACH ${this.alias}`)
    this.alias = ''
    attached.delete(this)
  }
}

/** A crash may have come between the file and its tables. They are made together, so that what came last stands for all. */
async function ensureTables(session: Session, alias: string): Promise<void> {
  const has = (what: string) => canRead(session, `SELECT ${what} LIMIT 0`)
  if (await has(`* FROM ${alias}.tellings`)) return
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
