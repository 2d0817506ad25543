import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { QueryTimeout, StoreUnavailable } from '../../../domain/store-errors.ts'
import { TestStores } from '../testing/test-store.ts'
import { Database } from './database.ts'
import { Session } from './session.ts'

const ENDLESS = 'SELECT count(*) FROM range(1000000000) a, range(1000000000) b'
const LIMITS = { memoryLimitBytes: 100_000_000, threads: 1 }

const stores = new TestStores()
let temporaryFolder: string

beforeEach(async () => {
  temporaryFolder = await stores.newFolder()
})

afterEach(() => stores.dispose())

async function openDatabase(queryTimeoutMs: number): Promise<Database> {
  return await Database.open({ ...LIMITS, temporaryFolder, queryTimeoutMs })
}

async function one(session: Session): Promise<unknown> {
  await session.run('BEGIN TRANSACTION')
  const [row] = await session.rows('SELECT 1 AS one')
  return row?.['one']
}

describe('a question', () => {
  it('is ended by the time limit, and leaves its connection usable', async () => {
    const database = await openDatabase(100)
    const asked = Array.from({ length: 8 }, () => database.ask((session) => session.run(ENDLESS)))
    const outcomes = await Promise.allSettled(asked)
    const reasons = outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason)
    expect(reasons.filter((reason) => reason instanceof QueryTimeout).length).toBeGreaterThanOrEqual(6)
    expect(reasons.every((reason) => reason instanceof QueryTimeout || reason instanceof StoreUnavailable)).toBe(true)
    expect(await Promise.all(Array.from({ length: 8 }, () => database.ask(one)))).toEqual(Array(8).fill(1))
    await database.close()
  })

  it('is ended by the time limit also where each of its statements is short', async () => {
    const database = await openDatabase(100)
    const asked = database.ask(async (session) => {
      for (;;) {
        await session.run('SELECT 1')
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    })
    await expect(asked).rejects.toBeInstanceOf(QueryTimeout)
    expect(await database.ask(one)).toBe(1)
    await database.close()
  })

  it('leaves no transaction and no table behind when it fails', async () => {
    const database = await openDatabase(10_000)
    const failing = database.ask(async (session) => {
      await session.run('BEGIN TRANSACTION')
      await session.run('CREATE TEMP TABLE matches AS SELECT 1')
      await session.run('SELECT nonsense')
    })
    await expect(failing).rejects.toThrow('nonsense')
    const again = Array.from({ length: 20 }, () =>
      database.ask(async (session) => {
        await session.run('BEGIN TRANSACTION')
        await session.run('CREATE TEMP TABLE matches AS SELECT 1')
      }),
    )
    await Promise.all(again)
    await database.close()
  })

  it('is refused when too many wait already', async () => {
    const database = await openDatabase(300)
    const asked = Array.from({ length: 600 }, () => database.ask((session) => session.run(ENDLESS)))
    const outcomes = await Promise.allSettled(asked)
    const refused = outcomes.filter(
      (outcome) => outcome.status === 'rejected' && /too many/.test(outcome.reason.message),
    )
    expect(refused.length).toBeGreaterThan(90)
    await database.close()
  })

  it('is ended when the database closes, also where it waits for a connection', async () => {
    const database = await openDatabase(60_000)
    const asked = Array.from({ length: 10 }, () => database.ask((session) => session.run(ENDLESS)))
    const outcomes = Promise.allSettled(asked)
    await database.close()
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) })
    await expect(database.ask(one)).rejects.toBeInstanceOf(StoreUnavailable)
  })
})

describe('a session', () => {
  it('runs statements one after another, in order, though nobody waits', async () => {
    const database = await openDatabase(10_000)
    const session = await database.connect()
    const statements = ['BEGIN TRANSACTION', 'CREATE TABLE t (a INTEGER)', 'INSERT INTO t VALUES (1)', 'COMMIT']
    await Promise.all(statements.map((statement) => session.run(statement)))
    await expect(session.transact('INSERT INTO t VALUES (2)', 'INSERT INTO missing VALUES (1)')).rejects.toThrow(
      'missing',
    )
    expect(await session.rows('SELECT a FROM t')).toEqual([{ a: 1 }])
    session.close()
    await database.close()
  })

  it('reports a database that has given itself up', async () => {
    const connection = {
      run: async () => {
        throw new Error('FATAL Error: Failed to append to the log')
      },
    }
    const reported: Error[] = []
    const session = new Session(connection as unknown as ConstructorParameters<typeof Session>[0], (error) =>
      reported.push(error),
    )
    await expect(session.run('COMMIT')).rejects.toThrow('FATAL')
    expect(reported).toHaveLength(1)
  })

  it('asks about the Grid that a statement names, whichever the one before named', async () => {
    const database = await openDatabase(60_000)
    const session = await database.connect()
    const [a, b] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']
    await session.run(`CREATE TABLE t AS SELECT * FROM (VALUES ('${a}'::UUID, 1), ('${b}'::UUID, 2)) t (grid, n)`)
    const ask = async (grid: string, more = '') =>
      await session.rows(`SELECT n FROM t WHERE grid = $grid::UUID ${more}`, { grid, n: 2 })
    expect(await ask(a)).toEqual([{ n: 1 }])
    expect(await ask(b)).toEqual([{ n: 2 }])
    expect(await ask(a, 'AND n = $n::INTEGER')).toEqual([])
    await expect(ask('nobody')).rejects.toThrow('nobody')
    expect(await ask(b)).toEqual([{ n: 2 }])
    session.begin()
    expect(await ask(a)).toEqual([{ n: 1 }])
    await session.reset()
    expect(await ask(a)).toEqual([{ n: 1 }])
    session.close()
    await database.close()
  })

  it('refuses an answer that would fill the memory', async () => {
    const database = await openDatabase(60_000)
    const huge = `SELECT repeat('x', 1000000) AS text FROM range(200)`
    await expect(database.ask((session) => session.rows(huge))).rejects.toThrow('too large')
    await database.close()
  })
})

describe('a statement in the background', () => {
  /** A question that is being answered until it is told to end. */
  async function lastingQuestion(database: Database): Promise<{ end: () => Promise<void> }> {
    return await new Promise((begun) => {
      const asked: Promise<void> = database.ask(
        () => new Promise((finish) => begun({ end: () => Promise.resolve(finish()).then(() => asked) })),
      )
    })
  }

  it('comes after the questions that are being answered', async () => {
    const database = await openDatabase(10_000)
    const background = await database.connectInBackground()
    const question = await lastingQuestion(database)
    let isDone = false
    const done = background.run('SELECT 1').then(() => {
      isDone = true
    })
    await database.ask(one)
    expect(isDone).toBe(false)
    await question.end()
    await done
    await database.close()
  })

  it('comes some time after the last question, which another may follow', async () => {
    const database = await openDatabase(10_000)
    const background = await database.connectInBackground()
    await database.ask(one)
    const answeredMs = performance.now()
    await background.run('SELECT 1')
    expect(performance.now() - answeredMs).toBeGreaterThan(100)
    await database.close()
  })

  it('is not held up by one that takes long', async () => {
    const database = await openDatabase(10_000)
    const background = await database.connectInBackground()
    const question = await lastingQuestion(database)
    await background.run('SELECT 1')
    await question.end()
    await database.close()
  })
})
