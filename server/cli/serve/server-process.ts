import type { Logger } from 'pino'
import { type Config, type Environment, type Flags, readConfig } from '../../config/config.ts'
import type { RunningServer } from '../../main.ts'
import { openTelemetry } from '../../start/open-telemetry.ts'
import { CommandFailed } from '../failure.ts'
import { loggerFor } from './logger-for.ts'
import { explainStartFailure } from './start-failure.ts'

export interface ServerProcess {
  config: Config
  running: RunningServer
  logger: Logger
  /** Resolves at the first signal that asks to stop; rejects where the server cannot go on. */
  stopping: Promise<void>
  /** Rejects with `CommandFailed` where it takes longer than anybody would wait. */
  close(): Promise<void>
}

/** Whoever runs the server expects it to be gone after 10 seconds. */
const CLOSE_MS_MAX = 9_000
const LINGER_MS_MAX = 500

/** The server as the whole purpose of this process: signals stop it, and its death ends the process. */
export async function openServer(env: Environment, flags: Flags): Promise<ServerProcess> {
  const config = await explained(undefined, async () => readConfig(env, flags))
  const logger = await loggerFor(config.logLevel)
  const { stopping, fail } = listenForStop(logger)
  const warn = (message: string) => logger.warn(message)
  const opening = explained(config, () => openTelemetry(config, { warn, died: fail }))
  // It may fail before anybody waits for it.
  opening.catch(() => undefined)
  // Most of the program is loaded while the store is being opened.
  const { startServer } = await import('../../main.ts')
  const telemetry = await opening
  const running = await explained(config, () => startServer(config, telemetry, logger))
  return { config, running, logger, stopping, close: () => closeInTime(running) }
}

async function explained<T>(config: Config | undefined, start: () => Promise<T>): Promise<T> {
  try {
    return await start()
  } catch (error) {
    throw new CommandFailed(explainStartFailure(error, config), { cause: error })
  }
}

/** A signal during the start is not lost: the server is then stopped as soon as it has started. A second one is final. */
function listenForStop(logger: Logger): { stopping: Promise<void>; fail: (error: Error) => void } {
  let asked = false
  let fail: (error: Error) => void = () => undefined
  const stopping = new Promise<void>((resolve, reject) => {
    const stop = (signal: NodeJS.Signals): void => {
      if (asked) process.exit(1)
      asked = true
      logger.info(`stopping on ${signal}`)
      resolve()
    }
    process.on('SIGINT', stop).on('SIGTERM', stop)
    fail = (error) => {
      logger.fatal({ err: error }, 'the server cannot go on')
      reject(new CommandFailed(`The server cannot go on: ${error.message}`, { cause: error }))
    }
  })
  // It may fail before anybody waits for it.
  stopping.catch(() => undefined)
  return { stopping, fail }
}

async function closeInTime(running: RunningServer): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<never>((_, reject) => {
    const message = `The server has not stopped within ${CLOSE_MS_MAX / 1000} seconds; what it acknowledged is on disk.`
    timer = setTimeout(() => reject(new CommandFailed(message)), CLOSE_MS_MAX)
  })
  try {
    await Promise.race([running.close(), tooLong])
  } finally {
    clearTimeout(timer)
    // By now nothing should keep the process alive; whatever does is left behind.
    setTimeout(() => process.exit(), LINGER_MS_MAX).unref()
  }
}
