'use strict'

const { createHash } = require('node:crypto')
const { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs')
const { join, relative } = require('node:path')
const { run } = require('./run.cjs')

const COMPILED = ['server', 'bench']
const SETTINGS = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json']

/** The sources as JavaScript, in dist. */
const program = {
  announcement: 'Building …',

  isFresh(root) {
    return existsSync(stampFile(root)) && readFileSync(stampFile(root), 'utf8') === stampOf(root)
  },

  async make(root) {
    // Taken before compiling, so that a change made meanwhile is noticed by the next start.
    const stamp = stampOf(root)
    rmSync(stampFile(root), { force: true })
    await run(process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json'], root)
    removeOutputsWithoutSource(root)
    mkdirSync(join(root, 'dist'), { recursive: true })
    writeFileSync(stampFile(root), stamp)
  },
}

function stampFile(root) {
  return join(root, 'dist', '.stamp')
}

/** By contents rather than by times, which a checkout or a copy changes. */
function stampOf(root) {
  const hash = createHash('sha256')
  for (const file of [...sources(root), ...SETTINGS]) {
    const path = join(root, file)
    const contents = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
    hash.update(`${file}\0${contents.length}\0`).update(contents)
  }
  return hash.digest('hex')
}

/** As tsconfig.build.json includes them. */
function sources(root) {
  return COMPILED.flatMap((folder) => filesUnder(root, folder))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('/conformance/'))
    .sort()
}

function removeOutputsWithoutSource(root) {
  const dist = join(root, 'dist')
  const expected = new Set(sources(root).map((file) => file.replace(/\.ts$/, '.js')))
  for (const file of COMPILED.flatMap((folder) => filesUnder(dist, folder))) {
    if (!expected.has(file.replace(/\.map$/, ''))) rmSync(join(dist, file))
  }
}

function filesUnder(root, folder) {
  const start = join(root, folder)
  if (!existsSync(start)) return []
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

module.exports = { program }
