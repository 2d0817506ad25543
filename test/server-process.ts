import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const PROGRAM = join(import.meta.dirname, '..', 'bin', 'faultline.cjs')

export const GRID_ID = '3f0b6c1e-52a4-4d6f-9a50-6c7d2b8e9f10'
export const OWNER_KEY = 'owner-key-of-the-tests-0123456789'
export const ADMIN_PASSWORD = 'a password of the tests'

/** Any free ports, and limits that no test runs into. */
const ENVIRONMENT = {
  FAULTLINE_PORT: '0',
  FAULTLINE_OTLP_HTTP_PORT: '0',
  FAULTLINE_OTLP_GRPC_PORT: '0',
  FAULTLINE_GRID_ID: GRID_ID,
  FAULTLINE_API_KEY: OWNER_KEY,
  FAULTLINE_ADMIN_PASSWORD: ADMIN_PASSWORD,
  FAULTLINE_RATE_LIMIT_CALLER: '1000000',
  FAULTLINE_RATE_LIMIT_GRID: '1000000',
  FAULTLINE_MIN_FREE_DISK: '1MB',
}

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface ServerProcess {
  readonly url: string
  readonly otlpHttpUrl: string
  readonly otlpGrpcUrl: string
  readonly pid: number
  /** Everything that it has written so far, to both of its outputs. */
  output(): string
  /** Asks it to stop, and resolves to how it ended. */
  stop(): Promise<Exit>
  /** Ends it without any warning, as a crash would. */
  kill(): Promise<Exit>
}

/** Whatever becomes of a test, no process outlives its file. */
const running = new Set<ChildProcess>()
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
})

function launch(dataDir: string, env: Record<string, string>) {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    env: { PATH, ...ENVIRONMENT, FAULTLINE_DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const written = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    written.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    written.stderr += text
  })
  const exited = once(child, 'close').then(([code, signal]): Exit => {
    running.delete(child)
    return { code, signal }
  })
  return { child, written, exited }
}

const STARTS_MAX = 3

/**
 * Starts the program as a person would, and resolves once it says where it listens. Another test may take the port that it was
 * given, in the moment before it listens there: then it is started again.
 */
export async function startServer(dataDir: string, env: Record<string, string> = {}): Promise<ServerProcess> {
  for (let starts = 1; ; starts++)
    try {
      return await startOnce(dataDir, env)
    } catch (error) {
      if (starts === STARTS_MAX || !(error as Error).message.includes('EADDRINUSE')) throw error
    }
}

async function startOnce(dataDir: string, env: Record<string, string>): Promise<ServerProcess> {
  const { child, written, exited } = launch(dataDir, env)
  const addresses = new Promise<string[]>((resolve) => {
    child.stdout.on('data', () => {
      const found = addressesIn(written.stdout)
      if (found) resolve(found)
    })
  })
  const ended = exited.then(() => {
    throw new Error(`The server did not start:\n${written.stdout}${written.stderr}`)
  })
  const [url = '', otlpHttpUrl = '', otlpGrpcUrl = ''] = await Promise.race([addresses, ended])
  ended.catch(() => undefined)
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return exited
  }
  return {
    url,
    otlpHttpUrl,
    otlpGrpcUrl,
    pid: child.pid ?? 0,
    output: () => written.stdout + written.stderr,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}

/** The API, OTLP/HTTP and OTLP/gRPC, once the program has named all three: in its banner or, later, on one line. */
function addressesIn(output: string): string[] | undefined {
  const line = /is ready: (\S+) \(OTLP\/HTTP (\S+), OTLP\/gRPC (\S+)\)/.exec(output)
  if (line) return line.slice(1)
  const found = [/'(http\S+)\/apm\//, /OTLP_ENDPOINT=(\S+)/, /gRPC: ([^\s)]+)/].map((each) => each.exec(output)?.[1])
  return found.every((address) => address !== undefined) ? found : undefined
}

/** A start that is expected to fail: how it ended and what it said. */
export async function failedStart(dataDir: string, env: Record<string, string> = {}) {
  const { written, exited } = launch(dataDir, env)
  return { ...(await exited), ...written }
}
