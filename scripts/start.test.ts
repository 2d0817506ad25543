import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

// A checkout with a small program of its own, and this one's dependencies behind a link.
let checkout: string

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'faultline-start-'))
  for (const name of ['bin', 'scripts', 'package.json', 'package-lock.json']) {
    cpSync(join(root, name), join(checkout, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'))
  writeSource('cli/main.ts', `console.log('started', ...process.argv.slice(2))\n`)
})

afterEach(() => rmSync(checkout, { recursive: true }))

test('the first start builds and runs the program, the second only runs it', async () => {
  expect(await start('serve')).toEqual({ code: 0, stdout: 'started serve\n', stderr: 'Building …\n' })
  expect(await start('serve')).toEqual({ code: 0, stdout: 'started serve\n', stderr: '' })
})

test('a changed source is built again, a file that was only touched is not', async () => {
  await start()
  utimesSync(join(checkout, 'server/cli/main.ts'), new Date(), new Date())
  expect(await start()).toMatchObject({ stderr: '' })
  writeSource('cli/main.ts', `console.log('changed')\n`)
  expect(await start()).toMatchObject({ stdout: 'changed\n', stderr: 'Building …\n' })
})

test('a source that cannot be read stops the start with what is wrong and where', async () => {
  writeSource('cli/main.ts', 'const port = = 80\n')
  const { code, stdout, stderr } = await start()
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('server/cli/main.ts:1:14')
  expect(await start()).toMatchObject({ code: 1 })
})

test('a thread is started by the path of its file', async () => {
  writeSource('some/part/count-worker.ts', `console.log('in a thread')\n`)
  writeSource(
    'cli/main.ts',
    `import { Worker } from 'node:worker_threads'\nnew Worker(new URL('./count-worker.js', import.meta.url))\n`,
  )
  expect(await start()).toMatchObject({ code: 0, stdout: 'in a thread\n' })
})

test('starts at the same time build once and all run', async () => {
  const outcomes = await Promise.all([start('a'), start('b'), start('c')])
  expect(outcomes.map(({ code, stdout }) => ({ code, stdout }))).toEqual([
    { code: 0, stdout: 'started a\n' },
    { code: 0, stdout: 'started b\n' },
    { code: 0, stdout: 'started c\n' },
  ])
  expect(outcomes.filter(({ stderr }) => stderr.includes('Building'))).toHaveLength(1)
})

test('a linked node_modules that does not match the lock is left alone', async () => {
  writeFileSync(
    join(checkout, 'package-lock.json'),
    JSON.stringify({ packages: { 'node_modules/new': { version: '1' } } }),
  )
  const { code, stderr } = await start()
  expect(code).toBe(1)
  expect(stderr).toContain('node_modules is a link')
})

test('SIGTERM reaches the program', async () => {
  writeSource(
    'cli/main.ts',
    `process.on('SIGTERM', () => process.exit(7))\nsetInterval(() => {}, 1000)\nconsole.log('up')\n`,
  )
  const child = spawnStart([])
  await once(child.stdout ?? child, 'data')
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([7, null])
})

test.skipIf(process.platform !== 'linux')('the program gets 16 threads for what would block it', async () => {
  writeSource(
    'cli/main.ts',
    `import { readdirSync } from 'node:fs'
    import { stat } from 'node:fs/promises'
    await stat('.')
    console.log(readdirSync('/proc/self/task').length)\n`,
  )
  const threads = async (given: string) => Number((await start([], { UV_THREADPOOL_SIZE: given })).stdout)
  expect((await threads('')) - (await threads('4'))).toBe(12)
})

test('a program that was never built says how to build it', async () => {
  const child = spawn(process.execPath, [join(checkout, 'bin/faultline.cjs')], { stdio: ['ignore', 'pipe', 'pipe'] })
  expect(await outcome(child)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Faultline is not built yet: `npm start` builds and starts it, `npm run build` only builds it.\n',
  })
})

test('a Node that is too old is told so', async () => {
  writeFileSync(join(checkout, 'package.json'), JSON.stringify({ engines: { node: '>=999.1' } }))
  expect(await start()).toMatchObject({
    code: 1,
    stderr: `Faultline needs Node 999.1 or newer, and this is ${process.version}.\n`,
  })
})

function writeSource(name: string, text: string): void {
  const path = join(checkout, 'server', name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
}

function start(args: string | string[] = [], env: Record<string, string> = {}): Promise<Outcome> {
  return outcome(spawnStart([args].flat(), env))
}

function spawnStart(args: string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [join(checkout, 'scripts/start.cjs'), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

async function outcome(child: ChildProcess): Promise<Outcome> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}
