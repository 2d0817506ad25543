// `npm run bench:…`: builds what is stale, and becomes the benchmark that the first argument names.

import '../bin/check-node.cjs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { dependencies } from './dependencies.cjs'
import { benchmarks, program } from './program.cjs'
import { SetupFailed } from './run.cjs'
import { setUp } from './set-up.cjs'

const root = join(import.meta.dirname, '..')
const [name] = process.argv.splice(2, 1)

try {
  await setUp(root, { steps: [dependencies, program, benchmarks] })
} catch (error) {
  if (!(error instanceof SetupFailed)) throw error
  console.error(error.message)
  process.exit(error.exitCode)
}
// What a benchmark started and wrote is removed when it exits, which a signal alone is not.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
await import(pathToFileURL(join(root, 'dist', 'bench', `${name}.js`)).href)
