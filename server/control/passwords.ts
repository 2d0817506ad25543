import { randomUUID } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { StoreUnavailable } from '../domain/store-errors.ts'
import { RecordRefused } from './record-refused.ts'

const PASSWORD_CHARS_MIN = 10
const PASSWORD_CHARS_MAX = 1000
const RUNNING_MAX = 2
const WAITING_MAX = 64
/** Argon2id with what OWASP asks for at least: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

let running = 0
const waiting: (() => void)[] = []

/** Each hash takes 19 MiB and a thread that queries share, so that few run at once and the queue has an end. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= RUNNING_MAX) {
    if (waiting.length >= WAITING_MAX) throw new StoreUnavailable('Too many people are signing in; try again shortly.')
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else {
    running++
  }
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

export async function hashPassword(password: string): Promise<string> {
  if (password.length < PASSWORD_CHARS_MIN || password.length > PASSWORD_CHARS_MAX) {
    throw new RecordRefused(`A password needs ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters.`)
  }
  return inTurn(() => hash(password, COST))
}

let stranger: Promise<string> | undefined

/** Without a hash (nobody has that address) it takes as long and is false. */
export async function passwordMatches(passwordHash: string | undefined, password: string): Promise<boolean> {
  stranger ??= hash(randomUUID(), COST)
  const strangerHash = await stranger
  const candidate = password.slice(0, PASSWORD_CHARS_MAX + 1)
  const matches = await inTurn(() => verify(passwordHash ?? strangerHash, candidate))
  return matches && passwordHash !== undefined
}
