'use strict'

const { createHash } = require('node:crypto')
const { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs')
const { join, relative } = require('node:path')
const { run } = require('./run.cjs')

/** What a start runs: the server and the command line in a few files of JavaScript. */
const program = built({
  announcement: 'Building …',
  folders: ['server'],
  settings: ['scripts/bundle.mjs', 'package-lock.json'],
  stamp: 'program',
  command: [join('scripts', 'bundle.mjs')],
})

/** The benchmarks and the parts of the server that they call, file by file. */
const benchmarks = built({
  announcement: 'Building the benchmarks …',
  folders: ['server', 'bench'],
  settings: ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json'],
  stamp: 'benchmarks',
  command: [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json'],
})

function built({ announcement, folders, settings, stamp, command }) {
  const stampFile = (root) => join(root, 'dist', `.${stamp}`)
  const stampOf = (root) => hashOf(root, [...folders.flatMap((folder) => sources(root, folder)), ...settings])
  return {
    announcement,

    isFresh(root) {
      return existsSync(stampFile(root)) && readFileSync(stampFile(root), 'utf8') === stampOf(root)
    },

    async make(root) {
      // Taken before compiling, so that a change made meanwhile is noticed by the next start.
      const contents = stampOf(root)
      rmSync(stampFile(root), { force: true })
      await run(process.execPath, command, root)
      mkdirSync(join(root, 'dist'), { recursive: true })
      writeFileSync(stampFile(root), contents)
    },
  }
}

/** By contents rather than by times, which a checkout or a copy changes. */
function hashOf(root, files) {
  const hash = createHash('sha256')
  for (const file of files) {
    const path = join(root, file)
    const contents = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
    hash.update(`${file}\0${contents.length}\0`).update(contents)
  }
  return hash.digest('hex')
}

function sources(root, folder) {
  const start = join(root, folder)
  if (!existsSync(start)) return []
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('/conformance/'))
    .sort()
}

module.exports = { program, benchmarks }
