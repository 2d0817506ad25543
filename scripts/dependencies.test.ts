import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const { dependencies } = createRequire(import.meta.url)('./dependencies.cjs')

type Packages = Record<string, { version: string; optional?: true }>

const WANTED: Packages = {
  '': { version: '0.1.0' },
  'node_modules/a': { version: '1.0.0' },
  'node_modules/a-linux': { version: '1.0.0', optional: true },
}

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'faultline-dependencies-'))
  mkdirSync(join(root, 'node_modules'))
  write('package-lock.json', WANTED)
})

afterEach(() => rmSync(root, { recursive: true }))

test.each<[string, Packages, boolean]>([
  ['everything', WANTED, true],
  ['everything for this platform', { 'node_modules/a': { version: '1.0.0' } }, true],
  ['something more', { ...WANTED, 'node_modules/b': { version: '1.0.0' } }, true],
  ['an older version', { ...WANTED, 'node_modules/a': { version: '0.9.0' } }, false],
  ['another version for this platform', { ...WANTED, 'node_modules/a-linux': { version: '0.9.0' } }, false],
  ['nothing', {}, false],
])('with %s installed, fresh is %j', (_what, installed, fresh) => {
  write('node_modules/.package-lock.json', installed)
  expect(dependencies.isFresh(root)).toBe(fresh)
})

test('an installation that was interrupted is not fresh', () => {
  expect(dependencies.isFresh(root)).toBe(false)
})

function write(file: string, packages: Packages): void {
  writeFileSync(join(root, file), JSON.stringify({ packages }))
}
