import { type Kysely, Migrator, sql } from 'kysely'
import { StoreUnusable } from '../../domain/store-errors.ts'
import { KNOWN_MIGRATIONS } from '../migrations/known-migrations.ts'
import type { ControlTables } from '../tables.ts'

const MIGRATION_TABLE = 'kysely_migration'

/** Forward only. A database that a newer program has changed is refused untouched. */
export async function migrateToLatest(db: Kysely<ControlTables>, path: string): Promise<void> {
  await refuseNewer(db, path)
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...KNOWN_MIGRATIONS }) } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
}

async function refuseNewer(db: Kysely<ControlTables>, path: string): Promise<void> {
  const tables = await sql`select name from sqlite_master where type = 'table' and name = ${MIGRATION_TABLE}`.execute(
    db,
  )
  if (tables.rows.length === 0) return
  const done = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)} order by name`.execute(db)
  const unknown = done.rows.find(({ name }) => !Object.hasOwn(KNOWN_MIGRATIONS, name))
  if (unknown === undefined) return
  throw new StoreUnusable(
    `The control database ${path} belongs to a newer version of Faultline (it has the change "${unknown.name}"): start that version, or restore a backup of this one.`,
  )
}
