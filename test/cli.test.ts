import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type CliProcess, runCli, startCli } from './cli-process.ts'

// Every test starts several processes.
vi.setConfig({ testTimeout: 180_000 })

let env: Record<string, string>
const started: CliProcess[] = []

beforeEach(async () => {
  env = {
    FAULTLINE_DATA_DIR: await mkdtemp(join(tmpdir(), 'faultline-test-')),
    FAULTLINE_PORT: '0',
    FAULTLINE_OTLP_HTTP_PORT: '0',
    FAULTLINE_OTLP_GRPC_PORT: '0',
  }
})
afterEach(async () => {
  for (const { child, exited } of started.splice(0)) {
    child.kill('SIGKILL')
    await exited
  }
  await rm(env['FAULTLINE_DATA_DIR'] ?? '', { recursive: true, force: true })
})

function start(...args: string[]): CliProcess {
  const cli = startCli(args, env)
  started.push(cli)
  return cli
}

async function json(...args: string[]) {
  const { exitCode, output } = await runCli([...args, '--json'], env)
  expect([exitCode, output]).toEqual([0, expect.stringMatching(/^[[{]/)])
  return JSON.parse(output)
}

describe('faultline serve', () => {
  it('shows what the first start has made once, and can be administered from its machine', async () => {
    const first = start('serve')
    const ownerKey = await first.waitFor(/Owner key +(\S+)/)
    const gridId = await first.waitFor(/Grid +(\S+)/)
    const { mode } = await stat(join(env['FAULTLINE_DATA_DIR'] ?? '', 'admin.json'))
    expect(mode & 0o077).toBe(0)

    expect(await json('grids', 'list')).toMatchObject({ items: [{ gridSecondaryId: gridId, role: 'Owner' }] })
    const user = ['users', 'create', 'ada@example.com', '--password-stdin']
    expect(await runCli(user, env, 'correct horse\n')).toMatchObject({ exitCode: 0 })
    expect((await json('users', 'list')).totalCount).toBe(2)
    expect(await runCli(['users', 'remove', 'ADA@example.com'], env)).toMatchObject({ exitCode: 0 })

    first.child.kill('SIGTERM')
    expect(await first.exited).toBe(0)

    const second = start('serve')
    await second.waitFor(/Faultline is ready: http/)
    expect(second.output()).not.toContain(ownerKey)
    const keyed = { ...env, FAULTLINE_API_KEY: ownerKey }
    expect((await runCli(['keys', 'list'], keyed)).output).toContain(ownerKey.slice(0, 12))
    second.child.kill('SIGINT')
    expect(await second.exited).toBe(0)
  })

  it('is told to a command that finds nobody', async () => {
    expect(await runCli(['query', 'health'], env)).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining('No server has been started with the data folder'),
    })
  })
})

describe('faultline verify', () => {
  it('finds every span that was acknowledged, though the server was killed meanwhile', async () => {
    // The second server has to be found where the first one was.
    const first = start('serve')
    const url = await first.waitFor(/'(http:\S+)\/apm/)
    env['FAULTLINE_PORT'] = new URL(url).port
    env['FAULTLINE_API_KEY'] = await first.waitFor(/Owner key +(\S+)/)
    const verifying = startCli(['verify', '--seconds', '4', '--rate', '500', '--json'], env)
    started.push(verifying)
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    first.child.kill('SIGKILL')
    await first.exited
    await start('serve').waitFor(/Faultline is ready/)
    expect(await verifying.exited).toBe(0)
    const result = JSON.parse(verifying.output().replace(/^(writing|reading).*$/gm, ''))
    expect(result).toMatchObject({ lost: 0, surplus: 0, altered: 0, late: 0, rejected: 0 })
    expect(result.acknowledged).toBeGreaterThan(0)
    expect(result.checked).toBe(result.acknowledged)
  })
})

describe('faultline demo', () => {
  it('sends live telemetry, says what it planted, and stops with its server', async () => {
    const args = ['demo', '--past-minutes', '1', '--rate', '3', '--incident', 'bad-deployment']
    const first = start(...args)
    const command = await first.waitFor(/Health +curl -H 'API-Key: (\S+)'/)
    expect(command).toBe(await first.waitFor(/Owner key +(\S+)/))
    await first.waitFor(/Planted: bad-deployment in checkout/)
    const { services } = await json('query', 'health')
    expect(services.map(({ serviceName }: { serviceName: string }) => serviceName)).toContain('checkout')
    first.child.kill('SIGINT')
    expect(await first.exited).toBe(0)
    expect(first.output()).toMatch(/Sent \d{3,} spans.*; 0 failed, 0 were not kept/)

    const second = start('demo', '--past-minutes', '1', '--rate', '1', '--no-incidents')
    const key = await second.waitFor(/Health +curl -H 'API-Key: (\S+)'/)
    await second.waitFor(/Live since/)
    const { items } = await json('keys', 'list')
    expect(items.find(({ name }: { name: string }) => name === 'faultline demo').prefix).toBe(key.slice(0, 12))
    second.child.kill('SIGTERM')
    expect(await second.exited).toBe(0)
  })
})
