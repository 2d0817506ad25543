// `npm test`: everything that a change must pass, quiet where it does. Arguments go to vitest, which then runs alone.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { dependencies } from './dependencies.cjs'
import { benchmarks, program } from './program.cjs'
import { run, SetupFailed } from './run.cjs'
import { setUp } from './set-up.cjs'

const root = join(import.meta.dirname, '..')
const vitestArgs = process.argv.slice(2)
if (!process.stdout.isTTY) process.env.NO_COLOR ??= '1'

const tool = (path, ...args) => run(process.execPath, [join('node_modules', path), ...args], root)

const checks = {
  typecheck: () => tool('typescript/bin/tsc', '-p', 'tsconfig.json'),
  biome: () => tool('@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'),
  knip: () => tool('knip/bin/knip.js', '--no-progress'),
}

// Nothing works without these two; the checks do not depend on each other, and all of them are worth knowing.
await stage('install', () => setUp(root, { steps: [dependencies] }), { needed: true })
if (vitestArgs.length === 0) {
  await stage('build', () => setUp(root, { steps: [program, benchmarks], say: () => {} }), { needed: true })
  for (const [name, check] of Object.entries(checks)) await stage(name, check)
}
if (!vitest()) process.exitCode = 1

async function stage(name, work, { needed = false } = {}) {
  const startedMs = performance.now()
  try {
    await work()
    console.log(`✓ ${name} (${((performance.now() - startedMs) / 1000).toFixed(1)} s)`)
  } catch (error) {
    if (!(error instanceof SetupFailed)) throw error
    console.log(`✗ ${name}\n${error.message}`)
    process.exitCode = error.exitCode
    if (needed || error.exitCode > 128) process.exit()
  }
}

function vitest() {
  const args = [join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...vitestArgs]
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status === 0
}
