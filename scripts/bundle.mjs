// The program as few files: a start that opens two and a half thousand takes twice as long.

import { readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'rolldown'

const root = join(import.meta.dirname, '..')
const dir = join(root, 'dist', 'program')

/** Threads are started by the path of their file. */
const threads = readdirSync(join(root, 'server'), { recursive: true })
  .filter((file) => file.endsWith('-worker.ts'))
  .map((file) => [basename(file, '.ts'), join(root, 'server', file)])

/** Native modules, and packages that look for their own files. */
const LEFT_AS_THEY_ARE = [
  /^@duckdb\/node-bindings/,
  /^@?libsql/,
  /^@node-rs\//,
  /^@napi-rs\//,
  /^@scalar\//,
  /^pino/,
  /^@grpc\//,
]

rmSync(dir, { recursive: true, force: true })
await build({
  input: { main: join(root, 'server', 'cli', 'main.ts'), ...Object.fromEntries(threads) },
  platform: 'node',
  tsconfig: false,
  external: LEFT_AS_THEY_ARE,
  checks: { eval: false },
  logLevel: 'warn',
  output: { dir, format: 'esm' },
})
