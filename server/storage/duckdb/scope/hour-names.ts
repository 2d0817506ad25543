import type { Session } from '../engine/session.ts'
import type { AttachableFile } from '../files/attachable-file.ts'
import type { HourFile } from '../files/hour-file.ts'
import type { Scope } from './scope.ts'

/** Names that are remembered of one hour: more than a system has, unless it makes them up for each request. */
const NAMES_MAX = 50_000
/** Asked for one by one; of more that are missing, all in between are read: a statement that names hundreds takes milliseconds. */
const MISSING_MAX = 32

interface KnownOrigin {
  service: string
  resource: string
}

/** A file that numbers the names in it. */
export interface NamedFile extends AttachableFile {
  readonly changedAtMs: number
}

/** What a file calls a number. A number's name never changes, so that it is read once. */
interface Known {
  names: Map<number, string>
  origins: Map<number, KnownOrigin>
}

const knownOf = new WeakMap<NamedFile, Known>()

function known(file: NamedFile): Known {
  const found = knownOf.get(file) ?? { names: new Map(), origins: new Map() }
  knownOf.set(file, found)
  return found
}

/** The names of these numbers, all of which the file has. 0 is the empty text. */
export async function namesOf(
  session: Session,
  file: NamedFile,
  numbers: Set<number>,
): Promise<(no: number) => string> {
  const { names } = known(file)
  const missing = [...numbers].filter((no) => no !== 0 && !names.has(no))
  if (missing.length > 0) {
    if (names.size + missing.length > NAMES_MAX) names.clear()
    const wanted = names.size === 0 ? [...numbers] : missing
    const where = isAmong('name_no', wanted)
    for (const row of await session.rows(`SELECT name_no, name FROM ${file.alias}.names WHERE ${where}`))
      names.set(row['name_no'] as number, row['name'] as string)
  }
  // Another question may make room for its own names meanwhile.
  const found = new Map([...numbers].map((no) => [no, names.get(no) ?? '']))
  return (no) => found.get(no) ?? ''
}

/** Reads the names of numbers of several files by one statement, where they are not known: each way to the database takes its time. */
export async function learnNames(session: Session, all: { file: NamedFile; numbers: Set<number> }[]): Promise<void> {
  const missing = all.map(({ file, numbers }) => {
    const { names } = known(file)
    return [...numbers].filter((no) => no !== 0 && !names.has(no))
  })
  const selects = all.flatMap(({ file }, place) => {
    const wanted = missing[place] as number[]
    if (wanted.length === 0) return []
    return [`SELECT ${place} AS place, name_no, name FROM ${file.alias}.names WHERE ${isAmong('name_no', wanted)}`]
  })
  const rows = selects.length > 0 ? await session.rows(selects.join(' UNION ALL ')) : []
  for (const row of rows) {
    const { names } = known((all[row['place'] as number] as { file: NamedFile }).file)
    if (names.size < NAMES_MAX) names.set(row['name_no'] as number, row['name'] as string)
  }
}

/** The services and resources of these origins, all of which the file has. */
export async function originsOf(
  session: Session,
  file: HourFile,
  numbers: Set<number>,
): Promise<(no: number) => KnownOrigin> {
  const { origins } = known(file)
  const missing = [...numbers].filter((no) => !origins.has(no))
  if (missing.length > 0) {
    if (origins.size + missing.length > NAMES_MAX) origins.clear()
    const wanted = origins.size === 0 ? [...numbers] : missing
    const where = isAmong('g.origin_no', wanted)
    const rows = await session.rows(
      `SELECT g.origin_no, n.name AS service, g.resource FROM ${file.alias}.origins g
       JOIN ${file.alias}.names n ON n.name_no = g.service_no WHERE ${where}`,
    )
    for (const row of rows)
      origins.set(row['origin_no'] as number, {
        service: row['service'] as string,
        resource: row['resource'] as string,
      })
  }
  const found = new Map([...numbers].map((no) => [no, origins.get(no)]))
  return (no) => found.get(no) ?? { service: '', resource: '' }
}

function isAmong(column: string, numbers: number[]): string {
  if (numbers.length <= MISSING_MAX) return `${column} IN (${numbers.join(', ')})`
  const [first, last] = [numbers.reduce((a, b) => Math.min(a, b)), numbers.reduce((a, b) => Math.max(a, b))]
  return `${column} BETWEEN ${first} AND ${last}`
}

interface KnownNumbers {
  changedAtMs: number
  /** Undefined for a name that the file had not. */
  numbers: Map<string, number | undefined>
}

const knownNumbersOf = new WeakMap<NamedFile, KnownNumbers>()

/** The number that a file has for each of these names; those that it has not are left out. */
export async function numbersOf(scope: Scope, file: NamedFile, names: string[]): Promise<Map<string, number>> {
  const changedAtMs = scope.versionOf(file)
  const before = knownNumbersOf.get(file)
  const isCurrent = before?.changedAtMs === changedAtMs && before.numbers.size < NAMES_MAX
  const numbers = isCurrent ? before.numbers : new Map<string, number | undefined>()
  if (!isCurrent) knownNumbersOf.set(file, { changedAtMs, numbers })
  const missing = [...new Set(names)].filter((name) => !numbers.has(name))
  if (missing.length > 0) {
    const rows = await scope.session.rows(
      `SELECT name_no, name FROM ${file.alias}.names
       WHERE name IN (SELECT unnest(json_extract_string($names::JSON, '$[*]')))`,
      { names: JSON.stringify(missing) },
    )
    const { names: byNumber } = known(file)
    for (const name of missing) numbers.set(name, undefined)
    for (const row of rows) {
      numbers.set(row['name'] as string, row['name_no'] as number)
      if (byNumber.size < NAMES_MAX) byNumber.set(row['name_no'] as number, row['name'] as string)
    }
  }
  return new Map(
    names.flatMap((name) => {
      const number = numbers.get(name)
      return number === undefined ? [] : [[name, number] as const]
    }),
  )
}
