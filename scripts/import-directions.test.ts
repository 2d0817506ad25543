import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { biomeOverrides, FREE, PARTS } from './import-directions.ts'

const root = join(import.meta.dirname, '..')

test('biome.imports.json says what the table says (vitest -u writes it)', async () => {
  await expect(biomeImports()).toMatchFileSnapshot(join(root, 'biome.imports.json'))
})

test('every folder of the server has a place in the table', () => {
  const folders = readdirSync(join(root, 'server'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const { name } of folders) expect([...Object.keys(PARTS), ...FREE]).toContain(name)
})

// Every import that the rules speak of is written once into a folder of its own and judged by the real linter.
const SERVER = ['main.ts', ...FREE.map((folder) => `${folder}/any.ts`), ...Object.keys(PARTS).flatMap(filesOf)]
const FROM = SERVER.filter((file) => PARTS[partOf(file)])
const TEST = '.test.ts'
const OUTSIDE = ['node:fs', 'fs', 'fastify', '@fastify/cors', 'pino/file.js']

let folder: string
let refused: Map<string, Set<string>>

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-imports-'))
  copyFileSync(join(root, 'biome.json'), join(folder, 'biome.json'))
  writeFileSync(join(folder, 'biome.imports.json'), biomeImports())
  for (const from of FROM) {
    write(from, importsOf(from))
    write(testOf(from), importsOf(from))
  }
  refused = lint()
})

afterAll(() => rmSync(folder, { recursive: true }))

test.each(FROM)('%s may import what the table allows, and nothing else', (from) => {
  const allowed = importsOf(from).filter((specifier) => !refused.get(from)?.has(specifier))
  expect(allowed).toEqual(importsOf(from).filter((specifier) => isAllowed(from, specifier)))
})

test('tests may import anything', () => {
  expect([...refused.keys()].filter((file) => file.endsWith(TEST))).toEqual([])
})

function biomeImports(): string {
  const lines = biomeOverrides().map((override) => `    ${JSON.stringify(override)}`)
  return `{\n  "overrides": [\n${lines.join(',\n')}\n  ]\n}\n`
}

/** The table read in the plainest way, from resolved paths. */
function isAllowed(from: string, specifier: string): boolean {
  const part = partOf(from)
  if (!specifier.startsWith('.')) return !PARTS[part]?.pure
  const target = join(dirname(from), specifier)
  const own = part.endsWith('/*') ? dirname(from).split('/').slice(0, 2).join('/') : part
  if (`${target}/`.startsWith(`${own}/`) && partOf(target) === part) return true
  return (PARTS[part]?.may ?? []).some((may) => {
    if (!may.endsWith('.ts')) return target.startsWith(`${may}/`)
    return may.endsWith('/*.ts') ? dirname(target) === dirname(may) : target === may
  })
}

function partOf(file: string): string {
  const [first = '', second = ''] = file.split('/')
  return PARTS[first]?.hasBackends && !second.endsWith('.ts') ? `${first}/*` : first
}

function filesOf(part: string): string[] {
  if (part.endsWith('/*')) return ['one', 'two'].flatMap((name) => filesOf(part.replace('*', name)))
  const files = [`${part}/any.ts`, `${part}/telemetry-store.ts`, `${part}/errors.ts`]
  return PARTS[part]?.hasBackends ? files : [...files, `${part}/inner/any.ts`, `${part}/inner/most/any.ts`]
}

function importsOf(from: string): string[] {
  const inside = SERVER.filter((file) => file !== from).map((file) => relative(dirname(from), file))
  return [...inside.map((path) => (path.startsWith('.') ? path : `./${path}`)), ...OUTSIDE]
}

function testOf(file: string): string {
  return file.replace(/\.ts$/, TEST)
}

function write(file: string, specifiers: string[]): void {
  const path = join(folder, 'server', file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, specifiers.map((specifier) => `import '${specifier}'\n`).join(''))
}

/** The imports that the linter refuses, by file. */
function lint(): Map<string, Set<string>> {
  const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome')
  const args = [
    'lint',
    '--vcs-enabled=false',
    '--only=style/noRestrictedImports',
    '--reporter=github',
    '--max-diagnostics=none',
  ]
  const { stdout, stderr } = spawnSync(process.execPath, [biome, ...args], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  const found = [...stdout.matchAll(/file=\S*\/server\/([^,]+),line=(\d+)/g)]
  if (found.length === 0) throw new Error(`biome refused nothing: ${stderr}`)
  const refused = new Map<string, Set<string>>()
  for (const [, file = '', line] of found) {
    const specifier = importsOf(file.replace(TEST, '.ts'))[Number(line) - 1]
    refused.set(file, (refused.get(file) ?? new Set()).add(specifier ?? ''))
  }
  return refused
}
