import { expect, test } from 'vitest'
import { type Environment, type Flags, publicUrlOf, readConfig } from './config.ts'
import { ConfigError } from './config-error.ts'
import { flagOf, SETTINGS } from './settings.ts'

function refusal(env: Environment, flags?: Flags): string {
  try {
    readConfig(env, flags)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    const { message } = error as ConfigError
    expect(message).not.toContain('\n')
    return message
  }
  throw new Error('nothing was refused')
}

test('without any setting, everything has its default', () => {
  expect(readConfig({})).toEqual({
    host: '127.0.0.1',
    port: 8080,
    otlpHttpPort: 4318,
    otlpGrpcPort: 4317,
    dataDir: `${process.cwd()}/data`,
    gridId: undefined,
    apiKey: undefined,
    adminPassword: undefined,
    rateLimitCaller: 600,
    rateLimitGrid: 3000,
    telemetryStore: 'duckdb',
    controlStore: 'sqlite',
    oidcIssuer: undefined,
    oidcAudience: undefined,
    publicUrl: undefined,
    trustedProxies: [],
    corsOrigins: [],
    memoryLimitBytes: 256_000_000,
    minFreeDisk: { bytes: 1_000_000_000 },
    queryTimeoutMs: 30_000,
    logLevel: 'info',
    tls: undefined,
  })
})

test('the value is frozen, with what is inside it', () => {
  const config = readConfig({ FAULTLINE_CORS_ORIGINS: 'https://a.example' })
  expect(Object.isFrozen(config)).toBe(true)
  expect(Object.isFrozen(config.corsOrigins)).toBe(true)
  expect(Object.isFrozen(config.minFreeDisk)).toBe(true)
})

test('a flag wins over its variable', () => {
  expect(readConfig({ FAULTLINE_OTLP_HTTP_PORT: '5000' }, { otlpHttpPort: '6000' }).otlpHttpPort).toBe(6000)
})

test('an empty variable or flag counts as not given', () => {
  expect(readConfig({ FAULTLINE_GRID_ID: '', FAULTLINE_PORT: '' }, { port: '' })).toMatchObject({
    gridId: undefined,
    port: 8080,
  })
})

test('flags that are no settings are left to others', () => {
  expect(readConfig({}, { json: 'yes' }).port).toBe(8080)
})

test('every setting has a name of its own, and its default is accepted', () => {
  const settings = Object.values(SETTINGS)
  expect(new Set(settings.map((setting) => setting.variable)).size).toBe(settings.length)
  expect(flagOf(SETTINGS.otlpHttpPort)).toBe('--otlp-http-port')
})

test('a refusal names the variable, the value and what is accepted', () => {
  expect(refusal({ FAULTLINE_PORT: 'eighty' })).toBe(
    'FAULTLINE_PORT is "eighty": it must be a port from 0 to 65535 (0 takes any free port)',
  )
})

test('a refusal of a flag names that too', () => {
  expect(refusal({}, { otlpGrpcPort: '-1' })).toMatch(/^FAULTLINE_OTLP_GRPC_PORT \(--otlp-grpc-port\) is "-1": it must/)
})

test('a refusal stays one line whatever the value is', () => {
  expect(refusal({ FAULTLINE_HOST: 'a\nb' })).toContain('is "a\\nb"')
  expect(refusal({ FAULTLINE_LOG_LEVEL: 'x'.repeat(5000) }).length).toBeLessThan(400)
})

test('a refusal never shows a secret', () => {
  expect(refusal({ FAULTLINE_API_KEY: 'hunter2' })).toMatch(
    /^FAULTLINE_API_KEY is 7 characters that are not shown: it must be 16 or more/,
  )
  expect(refusal({ FAULTLINE_ADMIN_PASSWORD: 'hunter2' })).not.toContain('hunter2')
  expect(refusal({ FAULTLINE_TELEMETRY_STORE: 'clickhouse://me:hunt/er2@db:8123/x' })).toContain('"clickhouse://…@db')
})

test('stores that do not exist yet are refused as coming later', () => {
  expect(refusal({ FAULTLINE_TELEMETRY_STORE: 'clickhouse://db' })).toMatch(/duckdb \(clickhouse:.* later release\)$/)
  expect(refusal({ FAULTLINE_CONTROL_STORE: 'postgres://db' })).toMatch(/sqlite \(postgres:.* later release\)$/)
})

test('two listeners cannot share a port, except that each may take any free one', () => {
  expect(refusal({ FAULTLINE_OTLP_GRPC_PORT: '8080' })).toBe(
    'FAULTLINE_OTLP_GRPC_PORT is "8080": it must be another port than that of FAULTLINE_PORT',
  )
  const any = { FAULTLINE_PORT: '0', FAULTLINE_OTLP_HTTP_PORT: '0', FAULTLINE_OTLP_GRPC_PORT: '0' }
  expect(readConfig(any)).toMatchObject({ port: 0, otlpHttpPort: 0, otlpGrpcPort: 0 })
})

test('a provider without an audience is refused', () => {
  expect(refusal({ FAULTLINE_OIDC_ISSUER: 'https://id.example' })).toMatch(/^FAULTLINE_OIDC_AUDIENCE is not set/)
})

test.each([
  ['127.0.0.1', 'http://127.0.0.1:8081'],
  ['0.0.0.0', 'http://127.0.0.1:8081'],
  ['::', 'http://[::1]:8081'],
  ['fd00::7', 'http://[fd00::7]:8081'],
  ['box.lan', 'http://box.lan:8081'],
])('the public URL of a server listening on %s is %s', (host, url) => {
  expect(publicUrlOf(readConfig({ FAULTLINE_HOST: host }), 8081)).toBe(url)
})

test('the public URL is https with TLS, and what was configured above all', () => {
  const tls = { cert: '', key: '' }
  expect(publicUrlOf({ ...readConfig({}), tls }, 443)).toBe('https://127.0.0.1:443')
  expect(publicUrlOf(readConfig({ FAULTLINE_PUBLIC_URL: 'https://o11y.example/' }), 1)).toBe('https://o11y.example')
})
