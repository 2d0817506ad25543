import { beforeEach, expect, test } from 'vitest'
import { hashOfKey } from './key-hash.ts'
import { KnownKeys, UNKNOWN } from './known-keys.ts'

const KEYS_MAX = 16
let known: KnownKeys

beforeEach(() => {
  known = new KnownKeys(KEYS_MAX, 1)
})

/** Looks a key up among other bytes; where it is known, it must have been copied. */
function idOf(key: string | Uint8Array): number {
  const bytes = Buffer.from(key)
  const source = Buffer.concat([Buffer.from('>>>'), bytes, Buffer.from('<')])
  const target = new Uint8Array(bytes.length + 4)
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength)
  const id = known.copy(view, 3, 3 + bytes.length, new DataView(target.buffer), 2)
  if (id !== UNKNOWN) {
    expect([...target]).toEqual([0, 0, ...bytes, 0, 0])
    expect(known.hashOf(id)).toBe(hashOfKey(bytes, 0, bytes.length))
  }
  return id
}

function numbered(count: number, prefix = 'key.'): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${i}`)
}

test('a key has the same id whenever and wherever it comes', () => {
  const keys = ['http.route', 'url.full', 'abcd', 'k'.repeat(64)]
  const ids = keys.map(idOf)
  expect(new Set(ids).size).toBe(4)
  expect(keys.map(idOf)).toEqual(ids)
  expect(keys.reverse().map(idOf)).toEqual(ids.reverse())
})

test('keys that differ in one place only are told apart, in the order that was and in any other', () => {
  for (const length of [4, 5, 7, 8, 9, 13]) {
    known = new KnownKeys(64, 1)
    const keys = Array.from({ length }, (_, at) => `${'a'.repeat(at)}b${'a'.repeat(length - at - 1)}`)
    const ids = keys.map(idOf)
    expect(new Set(ids).size).toBe(length)
    expect(keys.map(idOf)).toEqual(ids)
    for (const [at, key] of keys.entries()) {
      // What follows the same key is another one every time.
      expect(idOf(keys[0] as string)).toBe(ids[0])
      expect(idOf(key)).toBe(ids[at])
    }
  }
})

test('a key that is the beginning or the end of another one is itself', () => {
  const keys = ['server', 'server.address', 'address', 'server.addr', 'server.addressed']
  const ids = keys.map(idOf)
  expect(new Set(ids).size).toBe(keys.length)
  expect(keys.map(idOf)).toEqual(ids)
})

test.each(['', 'a', 'abc', 'k'.repeat(65), 'a"quote', 'back\\slash', 'a\nline', 'naïve', '\x7fdel\0', 'abcdé'])(
  'a key is not known that is too short or too long or not plain: %j',
  (key) => {
    for (let i = 0; i < 3; i++) expect(idOf(key)).toBe(UNKNOWN)
  },
)

test('when all places are taken, keys stay as they are: known or unknown', () => {
  const taken = numbered(KEYS_MAX).map(idOf)
  expect(new Set(taken).size).toBe(KEYS_MAX)
  for (let i = 0; i < 3; i++) {
    expect(numbered(50, 'other.').map(idOf)).toEqual(new Array(50).fill(UNKNOWN))
    expect(numbered(KEYS_MAX).map(idOf)).toEqual(taken)
  }
})

test('nothing is forgotten before it begins anew, and nothing while few keys find no place', () => {
  const taken = numbered(KEYS_MAX).map(idOf)
  numbered(KEYS_MAX * 15, 'other.').map(idOf)
  known.begin()
  expect(numbered(KEYS_MAX).map(idOf)).toEqual(taken)
  numbered(KEYS_MAX * 15, 'another.').map(idOf)
  expect(numbered(KEYS_MAX).map(idOf)).toEqual(taken)
})

test('where many keys find no place, those that came once make room for others', () => {
  numbered(KEYS_MAX).map(idOf)
  const used = ['key.3', 'key.7', 'key.15']
  used.map(idOf)
  numbered(KEYS_MAX * 16, 'other.').map(idOf)
  known.begin()
  const ids = [...used, ...numbered(KEYS_MAX - 3, 'new.')].map(idOf)
  expect(ids).not.toContain(UNKNOWN)
  expect(new Set(ids).size).toBe(KEYS_MAX)
  expect([...used, ...numbered(KEYS_MAX - 3, 'new.')].map(idOf)).toEqual(ids)
  expect(idOf('key.0')).toBe(UNKNOWN)
})

test('a key that is forgotten is not taken for known because of what came before it', () => {
  numbered(KEYS_MAX).map(idOf)
  numbered(KEYS_MAX * 16, 'other.').map(idOf)
  known.begin()
  const first = numbered(KEYS_MAX, 'new.').map(idOf)
  expect(numbered(KEYS_MAX).map(idOf)).toEqual(new Array(KEYS_MAX).fill(UNKNOWN))
  expect(numbered(KEYS_MAX, 'new.').map(idOf)).toEqual(first)
})

test('a key that is forgotten is learned anew when it comes again', () => {
  numbered(KEYS_MAX).map(idOf)
  numbered(KEYS_MAX * 16, 'other.').map(idOf)
  known.begin()
  const ids = numbered(KEYS_MAX).map(idOf)
  expect(new Set(ids).size).toBe(KEYS_MAX)
  expect(numbered(KEYS_MAX).map(idOf)).toEqual(ids)
})
