import type { Session } from './session.ts'

/**
 * Makes the database give memory back to the operating system that it has freed. It does so by itself only in helper threads
 * that have nothing to do, of which there are none where a statement has one thread; and whenever it ends such threads. So one
 * is begun and ended.
 */
export async function giveBackMemory(session: Session, threads: number): Promise<void> {
  for (const count of [threads + 1, threads]) {
    await session.run(`SET threads = ${count}`)
    // The number takes effect with the next statement.
    await session.run('SELECT 1')
  }
}
