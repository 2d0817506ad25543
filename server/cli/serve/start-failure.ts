import type { Config } from '../../config/config.ts'
import { ConfigError } from '../../config/config-error.ts'
import { SETTINGS } from '../../config/settings.ts'
import { StoreUnusable } from '../../domain/store-errors.ts'
import { messageOf } from '../failure.ts'

/** Why the server did not start, on one line that says what to change. */
export function explainStartFailure(error: unknown, config: Config | undefined): string {
  if (error instanceof ConfigError || error instanceof StoreUnusable) return error.message
  const listening = config && listenFailure(error, config)
  if (listening !== undefined) return listening
  return `The server could not start: ${oneLine(messageOf(error))} (FAULTLINE_LOG_LEVEL=debug shows where)`
}

function listenFailure(error: unknown, config: Config): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') {
    return `${SETTINGS.host.variable} is "${config.host}": this machine has no such address to listen on`
  }
  const setting = 'port' in error ? settingOfPort(error.port, config) : undefined
  if (setting === undefined) return undefined
  if (error.code === 'EADDRINUSE') return `${setting}: another program listens on this port`
  return error.code === 'EACCES' ? `${setting}: this user may not listen on this port` : undefined
}

function settingOfPort(port: unknown, config: Config): string | undefined {
  const ports = [
    [config.port, SETTINGS.port],
    [config.otlpHttpPort, SETTINGS.otlpHttpPort],
    [config.otlpGrpcPort, SETTINGS.otlpGrpcPort],
  ] as const
  const found = ports.find(([configured]) => configured === port)
  return found && `${found[1].variable} is "${found[0]}"`
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ')
}
