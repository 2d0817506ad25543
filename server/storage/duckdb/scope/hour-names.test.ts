import { afterEach, describe, expect, it } from 'vitest'
import { Database } from '../engine/database.ts'
import type { Session } from '../engine/session.ts'
import { TestStores } from '../testing/test-store.ts'
import { type NamedFile, numbersOf } from './hour-names.ts'
import type { Scope } from './scope.ts'

const stores = new TestStores()
afterEach(() => stores.dispose())

describe('the numbers of names', () => {
  it('that a question did not find are looked for again by one that began later', async () => {
    const temporaryFolder = await stores.newFolder()
    const database = await Database.open({
      ...{ memoryLimitBytes: 100_000_000, threads: 1, temporaryFolder, queryTimeoutMs: 60_000 },
    })
    const [asking, sealing] = [await database.connect(), await database.connect()]
    await sealing.run('CREATE SCHEMA hour; CREATE TABLE hour.names (name_no UINTEGER, name VARCHAR)')
    const file = { alias: 'hour' } as NamedFile
    const scopeOf = (session: Session, version: number) => ({ session, versionOf: () => version }) as unknown as Scope
    await asking.run('BEGIN TRANSACTION')
    await asking.run('SELECT * FROM hour.names')
    await sealing.run(`INSERT INTO hour.names VALUES (7, 'shop')`)
    expect(await numbersOf(scopeOf(asking, 1), file, ['shop'])).toEqual(new Map())
    expect(await numbersOf(scopeOf(sealing, 2), file, ['shop'])).toEqual(new Map([['shop', 7]]))
    for (const session of [asking, sealing]) session.close()
    await database.close()
  })
})
