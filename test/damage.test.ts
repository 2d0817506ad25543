import { createHash } from 'node:crypto'
import { cp, mkdtemp, open, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, TRACES } from './api.ts'
import { sendOtlp, spanIdOf, text, traceIdOf, traceRequest } from './otlp.ts'
import { GRID_ID, type ServerProcess, startServer } from './server-process.ts'
import { openStoredTelemetry } from './stored-telemetry.ts'

const HOUR_MS = 3_600_000
const TRACES_PER_HOUR = 500
/** Counted back from now. */
const HOURS = [0, 1, 2, 3, 4]
const [CUT_OFF, OVERWRITTEN, HOLED] = [1, 2, 3] as const
const DAMAGED: readonly number[] = [CUT_OFF, OVERWRITTEN, HOLED]
const nowMs = Date.now()

let folder: string
let crashed: string

/** The folder of a server that crashed before it sealed anything; each test damages a copy. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-damage-'))
  crashed = join(folder, 'crashed')
  const server = await startServer(crashed)
  for (const hour of HOURS) await send(server, hour)
  await server.kill()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function send(server: ServerProcess, hour: number): Promise<void> {
  expect((await sendOtlp(server.url, 'traces', traceRequest(spansOf(hour)))).status).toBe(200)
}

/** With texts that no compression makes small, so that they fill the middle of a file. */
function spansOf(hour: number) {
  return Array.from({ length: TRACES_PER_HOUR }, (_, i) => ({
    traceId: traceIdOf(hour * TRACES_PER_HOUR + i + 1),
    spanId: spanIdOf(hour * TRACES_PER_HOUR + i + 1),
    startMs: nowMs - hour * HOUR_MS,
    attributes: [text('noise', noise(`${hour} ${i}`))],
  }))
}

/** Nearly two thousand characters. */
function noise(seed: string): string {
  const parts = Array.from({ length: 22 }, (_, i) => createHash('sha512').update(`${seed} ${i}`).digest('base64'))
  return parts.join('')
}

async function countTraces(server: ServerProcess): Promise<unknown> {
  const range = { rangeStart: new Date(nowMs - 24 * HOUR_MS), rangeEnd: new Date(nowMs + HOUR_MS) }
  return (await ask(server, TRACES, { body: { ...range, pageSize: 1 } })).body['totalCount']
}

async function isServed(server: ServerProcess, hour: number): Promise<boolean> {
  const { status } = await ask(server, `${TRACES}/details/${spanIdOf(hour * TRACES_PER_HOUR + 1)}`)
  expect([200, 404]).toContain(status)
  return status === 200
}

async function overwrite(file: string, at: number): Promise<void> {
  const handle = await open(file, 'r+')
  await handle.write(Buffer.alloc(4096, 'damage'), 0, 4096, at)
  await handle.close()
}

const sizeOf = async (file: string) => (await stat(file)).size
const setAside = (dataDir: string) => readdir(join(dataDir, 'telemetry', 'damaged'))

describe('damaged hours', () => {
  let dataDir: string
  let server: ServerProcess

  beforeAll(async () => {
    dataDir = join(folder, 'hours')
    await sealInto(dataDir)
    const hours = join(dataDir, 'telemetry', 'grids', GRID_ID)
    const names = (await readdir(hours)).filter((name) => name.endsWith('.duckdb')).sort()
    expect(names).toHaveLength(HOURS.length)
    const fileOf = (hour: number) => join(hours, names.toReversed()[hour] ?? '')
    await overwrite(fileOf(OVERWRITTEN), 0)
    await truncate(fileOf(CUT_OFF), Math.floor((await sizeOf(fileOf(CUT_OFF))) / 2))
    await overwrite(fileOf(HOLED), Math.floor((await sizeOf(fileOf(HOLED))) / 2))
    server = await startServer(dataDir)
    return async () => void (await server.stop())
  })

  /** Sealed in a folder apart, because a closed store may hold its files for a while. */
  async function sealInto(target: string): Promise<void> {
    const sealing = join(folder, 'sealing')
    await cp(crashed, sealing, { recursive: true })
    const store = await openStoredTelemetry(sealing)
    await store.settle()
    await store.close()
    await cp(sealing, target, { recursive: true })
  }

  it('are set aside with a warning, and the others are served', async () => {
    for (const hour of HOURS) expect(await isServed(server, hour), `hour ${hour}`).toBe(!DAMAGED.includes(hour))
    expect(await countTraces(server)).toBe((HOURS.length - DAMAGED.length) * TRACES_PER_HOUR)
    expect(await setAside(dataDir)).toHaveLength(DAMAGED.length)
    const warnings = server.output().match(/an hour of telemetry cannot be read and was set aside as [^"]+damaged/g)
    expect(warnings).toHaveLength(DAMAGED.length)
  })

  it.each([CUT_OFF, OVERWRITTEN])('hour %i is taken again where a client still has it', async (hour) => {
    await send(server, hour)
    expect(await isServed(server, hour)).toBe(true)
  })

  it('hour 3, found damaged only when it was read, is taken again, too', async () => {
    await send(server, HOLED)
    expect(await isServed(server, HOLED)).toBe(true)
  })
})

describe('what a crash leaves unsealed', () => {
  async function copied(kind: string): Promise<{ dataDir: string; log: string; files: string }> {
    const dataDir = join(folder, kind)
    await cp(crashed, dataDir, { recursive: true })
    const files = join(dataDir, 'telemetry', 'open')
    const log = (await readdir(files)).find((name) => name.endsWith('.wal')) ?? ''
    return { dataDir, log: join(files, log), files }
  }

  it('is served but for the torn end of its log, beside a file that was only just made', async () => {
    const { dataDir, log, files } = await copied('torn')
    await truncate(log, (await sizeOf(log)) - 1)
    await writeFile(join(files, `${Date.now() + 1000}.duckdb`), '')
    const server = await startServer(dataDir)
    expect(await countTraces(server)).toBe((HOURS.length - 1) * TRACES_PER_HOUR)
    await server.stop()
  })

  it('is served up to where its log is damaged, with a warning, and the log is kept', async () => {
    const { dataDir, log } = await copied('holed')
    await overwrite(log, Math.floor((await sizeOf(log)) / 2))
    const server = await startServer(dataDir)
    expect(await countTraces(server)).toBe(2 * TRACES_PER_HOUR)
    expect(server.output()).toMatch(/the log [^"]+ cannot be read from byte \d+ on and was cut there/)
    expect(await setAside(dataDir)).toHaveLength(1)
    await server.stop()
  })
})
