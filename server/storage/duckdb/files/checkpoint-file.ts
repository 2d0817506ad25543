import { dirname } from 'node:path'
import type { Session } from '../engine/session.ts'
import { syncFolder } from '../layout.ts'
import type { AttachableFile } from './attachable-file.ts'

/**
 * Moves what is in the file's log to the file itself. False where questions that began before the last sealing are in the way:
 * everything is in the log then, and the next sealing or compacting tries again.
 */
export async function checkpointFile(session: Session, file: AttachableFile): Promise<boolean> {
  try {
    await session.run(`CHECKPOINT ${file.alias}`)
    return true
  } catch (error) {
    if ((error as Error).message.includes('other write transactions active')) {
      // The rows are in the log alone, which may be new to its folder, and their open file is about to be removed.
      await syncFolder(dirname(file.path))
      return false
    }
    // The database refuses a file whose checkpoint failed until it is attached anew.
    await file.detachNow()
    throw error
  } finally {
    file.diskBytes = undefined
  }
}
