import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ROOT } from '../compiled.ts'
import { freePorts } from './free-ports.ts'

const READY_TIMEOUT_MS = 60_000
const READY_CHECK_MS = 20
const UNLIMITED = '1000000000'

export interface MeasuredServerOptions {
  /** Arguments for node itself, such as `--cpu-prof`. */
  nodeArguments?: string[]
  environment?: Record<string, string>
}

/** The server as a person would start it: another process, in a data folder of its own, on ports of its own. */
export class MeasuredServer {
  readonly gridId = randomUUID()
  readonly apiKey = 'a key for measurements only'.replaceAll(' ', '-')
  readonly folder: string
  readonly dataFolder: string
  readonly url: string
  private readonly ports: number[]
  private readonly options: MeasuredServerOptions
  private child: ChildProcess | undefined

  private constructor(folder: string, ports: number[], options: MeasuredServerOptions) {
    this.folder = folder
    this.dataFolder = join(folder, 'data')
    this.ports = ports
    this.options = options
    this.url = `http://127.0.0.1:${ports[0]}`
    process.once('exit', this.leaveNothing)
  }

  static async create(options: MeasuredServerOptions = {}): Promise<MeasuredServer> {
    const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
    return new MeasuredServer(folder, await freePorts(3), options)
  }

  get pid(): number {
    if (this.child?.pid === undefined) throw new Error('the server is not running')
    return this.child.pid
  }

  /** Resolves with how many milliseconds it took until the server could serve. */
  async start(): Promise<number> {
    const startedMs = performance.now()
    const log = openSync(this.logFile, 'a')
    const program = [...(this.options.nodeArguments ?? []), join(ROOT, 'bin', 'faultline.cjs'), 'serve']
    const child = spawn(process.execPath, program, {
      cwd: this.folder,
      env: { ...process.env, ...this.environment() },
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    this.child = child
    await this.ready(child, startedMs)
    return performance.now() - startedMs
  }

  /** A clean stop. */
  async stop(): Promise<void> {
    await this.end('SIGTERM')
  }

  async kill(): Promise<void> {
    await this.end('SIGKILL')
  }

  /** Ends the server if need be, and removes all that it wrote. */
  async remove(): Promise<void> {
    await this.kill()
    process.off('exit', this.leaveNothing)
    this.leaveNothing()
  }

  /** What the work resolves with; rejects where the server ends by itself meanwhile. */
  async during<T>(work: Promise<T>): Promise<T> {
    const { child } = this
    if (!child) throw new Error('the server is not running')
    let onExit: () => void = () => undefined
    const ended = new Promise<never>((_, reject) => {
      onExit = () => {
        const how = child.signalCode ?? `code ${child.exitCode}`
        if (this.child === child) reject(new Error(`the server ended by itself (${how}):\n${this.logTail()}`))
      }
      child.once('exit', onExit)
      if (hasEnded(child)) onExit()
    })
    return await Promise.race([work, ended]).finally(() => child.off('exit', onExit))
  }

  async isReady(): Promise<boolean> {
    const answer = await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined)
    await answer?.arrayBuffer()
    return answer?.status === 200
  }

  /** Also where this process is ended before it is done. */
  private readonly leaveNothing = (): void => {
    this.child?.kill('SIGKILL')
    rmSync(this.folder, { recursive: true, force: true })
  }

  private logTail(): string {
    return readFileSync(this.logFile, 'utf8').slice(-4000)
  }

  private get logFile(): string {
    return join(this.folder, 'server.log')
  }

  private environment(): Record<string, string> {
    const [port, otlpHttpPort, otlpGrpcPort] = this.ports
    return {
      FAULTLINE_PORT: String(port),
      FAULTLINE_OTLP_HTTP_PORT: String(otlpHttpPort),
      FAULTLINE_OTLP_GRPC_PORT: String(otlpGrpcPort),
      FAULTLINE_DATA_DIR: this.dataFolder,
      FAULTLINE_GRID_ID: this.gridId,
      FAULTLINE_API_KEY: this.apiKey,
      FAULTLINE_RATE_LIMIT_CALLER: UNLIMITED,
      FAULTLINE_RATE_LIMIT_GRID: UNLIMITED,
      FAULTLINE_LOG_LEVEL: 'warn',
      ...this.options.environment,
    }
  }

  private async ready(child: ChildProcess, startedMs: number): Promise<void> {
    while (!(await this.isReady())) {
      if (hasEnded(child) || performance.now() - startedMs > READY_TIMEOUT_MS)
        throw new Error(`the server did not become ready:\n${this.logTail()}`)
      await delay(READY_CHECK_MS)
    }
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this
    this.child = undefined
    if (!child || hasEnded(child)) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}
