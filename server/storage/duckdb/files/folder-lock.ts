import { StoreUnusable } from '../../../domain/store-errors.ts'
import type { Database } from '../engine/database.ts'
import type { Layout } from '../layout.ts'
import { attachFile, isDamage, removeFile } from './data-file.ts'

/** Holds the folder as long as the database is open, by an empty database that only one process can open. */
export async function lockFolder(database: Database, { lockFile, root, damagedFolder }: Layout): Promise<void> {
  const session = await database.connect()
  const lock = () => attachFile(session, lockFile, 'folder_lock', { damagedFolder, warn: () => undefined })
  try {
    await lock().catch(async (error: Error) => {
      if (!isDamage(error)) throw error
      // A crash while it was being made. There is nothing in it, and whoever can read that it is broken has the lock.
      await removeFile(lockFile)
      await lock()
    })
  } catch (error) {
    const reason = (error as Error).message.split('\n', 1)[0] as string
    if (/could not set lock|conflicting lock/i.test(reason))
      throw new StoreUnusable(`the data folder ${root} is in use by another process`)
    throw new StoreUnusable(`the data folder ${root} cannot be used: ${reason}`)
  } finally {
    session.close()
  }
}
