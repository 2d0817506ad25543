import { once } from 'node:events'
import { watch } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { windowOfMs } from '../server/domain/time-window.ts'
import { ask } from './api.ts'
import { runCli } from './cli-process.ts'
import { type ControlData, expectControlData, makeControlData } from './control-data.ts'
import { CrashLoad, SPANS_PER_BATCH } from './crash-load.ts'
import { freePort } from './free-port.ts'
import { administratorToken, bearer } from './oauth.ts'
import { sendOtlp, spanIdOf, traceIdOf, traceRequest } from './otlp.ts'
import { GRID_ID, type ServerProcess, startServer } from './server-process.ts'
import { openStoredTelemetry } from './stored-telemetry.ts'

const WHOLE = { spans: SPANS_PER_BATCH, different: SPANS_PER_BATCH }
const HOUR_MS = 3_600_000
const EARLIER_HOURS = 12
/** Of each sender: every batch is looked for in every backup. */
const PAUSE_MS = 20

interface Done {
  files: number
  filesCopied: number
  bytesCopied: number
  bytesKept: number
}

let folder: string
let dataDir: string
let env: Record<string, string>
let server: ServerProcess

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-backup-'))
  dataDir = join(folder, 'data')
  // Sessions belong to an address, so that it must not change.
  env = { FAULTLINE_PORT: String(await freePort()) }
  server = await startServer(dataDir, env)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Resolves when some of the load is acknowledged, and when the server is gone. */
function keepSending(load: CrashLoad): { begun: Promise<void>; gone: Promise<void> } {
  let begin: () => void
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const gone = load.sendUntilGone(server, (batches) => {
    if (batches > 20) begin()
  })
  return { begun, gone }
}

async function backUp(target: string): Promise<Done> {
  const { exitCode, output } = await runCli(['backup', target, '--json'], { FAULTLINE_DATA_DIR: dataDir })
  expect(exitCode, output).toBe(0)
  return JSON.parse(output.slice(output.indexOf('{'))) as Done
}

function restore(target: string, restored: string) {
  return runCli(['restore', target, '--data-dir', restored], {})
}

/** A span in each of the last hours, which are not written to again. */
async function fillEarlierHours(): Promise<void> {
  for (let hour = 1; hour <= EARLIER_HOURS; hour++) {
    const id = 1_000_000_000 + hour
    const span = { traceId: traceIdOf(id), spanId: spanIdOf(id), startMs: Date.now() - (hour + 1) * HOUR_MS }
    expect((await sendOtlp(server.url, 'traces', traceRequest([span], 'earlier'))).status).toBe(200)
  }
}

describe('a backup of a server that takes spans', () => {
  const load = new CrashLoad({ pauseMs: PAUSE_MS })
  let target: string
  let control: ControlData
  let acknowledgedBefore: number[]
  let first: Done
  let second: Done

  beforeAll(async () => {
    target = join(folder, 'backup')
    control = await makeControlData(server, dataDir)
    await fillEarlierHours()
    const { begun, gone } = keepSending(load)
    await begun
    first = await backUp(target)
    await sleep(500)
    acknowledgedBefore = [...load.acknowledged]
    second = await backUp(target)
    await server.stop()
    await gone
  })

  it('copies the second time only what has changed', () => {
    expect(first).toMatchObject({ bytesKept: 0, filesCopied: first.files })
    expect(first.files).toBeGreaterThan(EARLIER_HOURS)
    expect(second.filesCopied).toBeLessThan(6)
    expect(second.bytesKept).toBeGreaterThan(2 * second.bytesCopied)
  })

  it('has, restored to another folder, everything that was acknowledged before it began, once', async () => {
    expect(load.acknowledged.size).toBeGreaterThan(acknowledgedBefore.length)
    const restored = join(folder, 'restored')
    expect(await restore(target, restored)).toMatchObject({ exitCode: 0 })
    server = await startServer(restored, env)
    for (const batch of acknowledgedBefore) expect(await load.countOf(server, batch), `batch ${batch}`).toEqual(WHOLE)
    const { body } = await ask(server, `/apm/diagnostics/${GRID_ID}/services`)
    expect(JSON.stringify(body)).toContain('"load"')
    await expectControlData(server, restored, control)
    expect((await sendOtlp(server.url, 'traces', traceRequest([], 'after'))).status).toBe(200)
    await server.stop()
  })

  it('is made of a server that is stopped as well', async () => {
    const again = join(folder, 'backup-of-stopped')
    const { exitCode, output } = await runCli(['backup', again], { FAULTLINE_DATA_DIR: dataDir })
    expect([exitCode, output]).toEqual([0, expect.stringMatching(/^Backed up to .*backup-of-stopped: \d+ files/m)])
    const restored = join(folder, 'restored-of-stopped')
    expect(await restore(again, restored)).toMatchObject({ exitCode: 0 })
    const store = await openStoredTelemetry(restored)
    const logs = await store.reader(GRID_ID).logs(windowOfMs(load.startMs, load.startMs + HOUR_MS), 1_000_000)
    await store.close()
    expect(logs.length).toBeGreaterThanOrEqual(load.acknowledged.size)
  })

  it('is not restored over data', async () => {
    const { exitCode, output } = await restore(target, dataDir)
    expect([exitCode, output]).toEqual([1, expect.stringMatching(/^faultline: The data folder .* holds data already/)])
  })
})

describe('a server that is killed while it makes a backup', () => {
  const load = new CrashLoad({ pauseMs: PAUSE_MS })
  let target: string
  let inEarlier: number[]

  beforeAll(() => {
    dataDir = join(folder, 'killed')
    target = join(folder, 'interrupted')
  })

  /**
   * Sends, begins a backup over the API, and kills the server: at once, or when the first copy is being made. Resolves to what
   * was acknowledged before the backup.
   */
  async function killDuringBackup(moment: 'begun' | 'copying'): Promise<number[]> {
    server = await startServer(dataDir, env)
    const token = bearer(await administratorToken(server, dataDir))
    const { begun, gone } = keepSending(load)
    await begun
    const before = [...load.acknowledged]
    const reached = moment === 'copying' ? firstChangeOf(join(target, 'files')) : undefined
    const { status } = await ask(server, '/apm/backups', { ...token, body: { folder: target } })
    expect(status).toBe(201)
    await reached
    await server.kill()
    await gone
    return before
  }

  async function firstChangeOf(path: string): Promise<void> {
    const watcher = watch(path)
    await once(watcher, 'change')
    watcher.close()
  }

  async function batchesOf(restored: string): Promise<number[]> {
    expect(await restore(target, restored)).toMatchObject({ exitCode: 0 })
    const store = await openStoredTelemetry(restored)
    const reader = store.reader(GRID_ID)
    const found: number[] = []
    for (const batch of load.acknowledged) {
      const { totalCount } = await reader.traceSpans(traceIdOf(batch), 10_000)
      if (totalCount === SPANS_PER_BATCH) found.push(batch)
    }
    await store.close()
    return found
  }

  it('leaves no backup where there was none, and says so', async () => {
    await killDuringBackup('begun')
    const { exitCode, output } = await restore(target, join(folder, 'never'))
    expect([exitCode, output]).toEqual([1, expect.stringMatching(/the backup in it was never finished/)])
  })

  it('starts again with all that was acknowledged, and makes the backup', async () => {
    server = await startServer(dataDir, env)
    for (const batch of load.acknowledged) expect(await load.countOf(server, batch), `batch ${batch}`).toEqual(WHOLE)
    inEarlier = [...load.acknowledged]
    await backUp(target)
    await server.stop()
    expect(await batchesOf(join(folder, 'earlier'))).toEqual(inEarlier)
  })

  it('leaves the earlier backup as it was', async () => {
    await killDuringBackup('begun')
    expect(load.acknowledged.size).toBeGreaterThan(inEarlier.length)
    expect(await batchesOf(join(folder, 'after-begun'))).toEqual(inEarlier)
  })

  it('in the middle of copying leaves the earlier backup, or has finished in time', async () => {
    const before = await killDuringBackup('copying')
    const found = await batchesOf(join(folder, 'after-copying'))
    expect(found).toEqual(found.length === inEarlier.length ? inEarlier : expect.arrayContaining(before))
  })

  it('makes the next backup over what was left', async () => {
    server = await startServer(dataDir, env)
    await backUp(target)
    await server.stop()
    expect(await batchesOf(join(folder, 'last'))).toEqual([...load.acknowledged])
  })
})
