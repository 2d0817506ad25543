import { AlreadyExists } from '../control-store.ts'
import { RecordRefused } from '../record-refused.ts'

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Turns SQLite's refusals into ours; `taken` is what to say where something like it exists. */
export async function translatingConstraints<T>(taken: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const code = codeOf(error)
    if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
      throw new AlreadyExists(taken, { cause: error })
    }
    if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY') throw new RecordRefused('There is no such Grid.', { cause: error })
    if (code.startsWith('SQLITE_CONSTRAINT')) {
      throw new RecordRefused('A value is outside what can be stored.', { cause: error })
    }
    throw error
  }
}
