import { isIPv6 } from 'node:net'
import { ConfigError } from './config-error.ts'
import { flagOf, SETTINGS, type Setting, type SettingValues } from './settings.ts'
import { readTls, type Tls } from './tls.ts'

type Named = Omit<SettingValues, 'tlsCertFile' | 'tlsKeyFile'>

/** How this process was told to run: validated, frozen, the only place that the program learns it from. */
export interface Config extends Named {
  readonly tls: Tls | undefined
}

export type Environment = Readonly<Record<string, string | undefined>>

/** What was given on the command line, as commander returns it: `--otlp-http-port` under `otlpHttpPort`. Others are ignored. */
export type Flags = Readonly<Record<string, string | undefined>>

/** A flag wins over its variable; an empty one counts as not given. Throws `ConfigError` for the first bad value. */
export function readConfig(env: Environment, flags: Flags = {}): Config {
  const { tlsCertFile, tlsKeyFile, ...values } = readSettings(env, flags)
  refuseSharedPorts(values)
  if (values.oidcIssuer !== undefined && values.oidcAudience === undefined) {
    throw new ConfigError(
      `FAULTLINE_OIDC_AUDIENCE is not set: with FAULTLINE_OIDC_ISSUER it must be the audience that the provider's tokens name`,
    )
  }
  return Object.freeze({ ...values, tls: readTls(tlsCertFile, tlsKeyFile) })
}

/** Where the server is reached: what was configured, or else the address it listens on. */
export function publicUrlOf(config: Pick<Config, 'publicUrl' | 'host' | 'tls'>, listeningPort: number): string {
  if (config.publicUrl !== undefined) return config.publicUrl
  const host = reachable(config.host)
  return `${config.tls ? 'https' : 'http'}://${isIPv6(host) ? `[${host}]` : host}:${listeningPort}`
}

/** An address that stands for all of a machine's is no address to call. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}

function readSettings(env: Environment, flags: Flags): SettingValues {
  const values = Object.entries(SETTINGS).map(([name, setting]) => [name, readSetting(setting, env, flags)])
  return Object.fromEntries(values)
}

function readSetting(setting: Setting<unknown>, env: Environment, flags: Flags): unknown {
  const flag = flagOf(setting)
  const fromFlag = flags[camelCase(flag)] || undefined
  const given = fromFlag ?? (env[setting.variable] || undefined)
  const text = given ?? setting.default
  if (text === undefined) return undefined
  const value = setting.parser.parse(setting.secret ? text : text.trim())
  if (value !== undefined) return value
  const name = fromFlag === undefined ? setting.variable : `${setting.variable} (${flag})`
  throw new ConfigError(`${name} is ${shown(setting, text)}: it must be ${setting.parser.accepts}`)
}

function camelCase(flag: string): string {
  return flag.slice('--'.length).replace(/-[a-z]/g, (found) => found.slice(1).toUpperCase())
}

/** One short line, and no password: neither a secret itself nor one inside a URL. */
function shown(setting: Setting<unknown>, text: string): string {
  if (setting.secret) return `${[...text].length} characters that are not shown`
  const withoutPassword = text.replace(/\/\/.*@/s, '//…@')
  return JSON.stringify(withoutPassword.length > 200 ? `${withoutPassword.slice(0, 200)}…` : withoutPassword)
}

function refuseSharedPorts(values: Named): void {
  const ports = [SETTINGS.port, SETTINGS.otlpHttpPort, SETTINGS.otlpGrpcPort]
  const numbers = [values.port, values.otlpHttpPort, values.otlpGrpcPort]
  for (const [i, number] of numbers.entries()) {
    const first = numbers.indexOf(number)
    if (number === 0 || first === i) continue
    throw new ConfigError(
      `${ports[i]?.variable} is "${number}": it must be another port than that of ${ports[first]?.variable}`,
    )
  }
}
