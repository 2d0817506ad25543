import {
  apiKey,
  diskSpace,
  host,
  issuer,
  networks,
  oneOf,
  onlyYet,
  origins,
  type Parser,
  password,
  path,
  port,
  requestsPerMinute,
  secondsAsMs,
  sizeAtLeast,
  text,
  uuid,
  webAddress,
} from './parsers.ts'

export interface Setting<T> {
  /** The environment variable; the flag of the command line is derived from it. */
  variable: `FAULTLINE_${string}`
  /** As a person would write it. Undefined where there is none, and the value is then undefined too. */
  default: string | undefined
  parser: Parser<T>
  description: string
  /** Never shown in a message. */
  secret?: true
}

/** Every setting there is. The README's table and the flags of the command line are made from this. */
export const SETTINGS = {
  host: {
    variable: 'FAULTLINE_HOST',
    default: '127.0.0.1',
    parser: host,
    description: 'The address to listen on. `0.0.0.0` is every IPv4 address of the machine.',
  },
  port: {
    variable: 'FAULTLINE_PORT',
    default: '8080',
    parser: port,
    description: 'API, web UI, documentation and OTLP/HTTP. `0` takes any free port.',
  },
  otlpHttpPort: {
    variable: 'FAULTLINE_OTLP_HTTP_PORT',
    default: '4318',
    parser: port,
    description: 'OTLP/HTTP, on the port that exporters expect.',
  },
  otlpGrpcPort: {
    variable: 'FAULTLINE_OTLP_GRPC_PORT',
    default: '4317',
    parser: port,
    description: 'OTLP/gRPC.',
  },
  dataDir: {
    variable: 'FAULTLINE_DATA_DIR',
    default: './data',
    parser: path,
    description: 'The folder of all data. One process holds it at a time.',
  },
  gridId: {
    variable: 'FAULTLINE_GRID_ID',
    default: undefined,
    parser: uuid,
    description: 'The id of the Grid that the first start creates, instead of a random one.',
  },
  apiKey: {
    variable: 'FAULTLINE_API_KEY',
    default: undefined,
    parser: apiKey,
    description:
      'The Owner key that the first start creates, instead of a random one; 16 or more characters. The CLI signs in with it.',
    secret: true,
  },
  adminPassword: {
    variable: 'FAULTLINE_ADMIN_PASSWORD',
    default: undefined,
    parser: password,
    description:
      'The password of the administrator that the first start creates, instead of a random one; 10 or more characters.',
    secret: true,
  },
  rateLimitCaller: {
    variable: 'FAULTLINE_RATE_LIMIT_CALLER',
    default: '600',
    parser: requestsPerMinute,
    description: 'Requests a minute of one caller, where its Grid has no limit of its own.',
  },
  rateLimitGrid: {
    variable: 'FAULTLINE_RATE_LIMIT_GRID',
    default: '3000',
    parser: requestsPerMinute,
    description: 'Requests a minute of one Grid, where it has no limit of its own.',
  },
  telemetryStore: {
    variable: 'FAULTLINE_TELEMETRY_STORE',
    default: 'duckdb',
    parser: onlyYet('duckdb', 'clickhouse://…'),
    description: 'Where telemetry is kept: `duckdb`, embedded. `clickhouse://…` comes later.',
  },
  controlStore: {
    variable: 'FAULTLINE_CONTROL_STORE',
    default: 'sqlite',
    parser: onlyYet('sqlite', 'postgres://…'),
    description: 'Where everything else is kept: `sqlite`, embedded. `postgres://…` comes later.',
  },
  oidcIssuer: {
    variable: 'FAULTLINE_OIDC_ISSUER',
    default: undefined,
    parser: issuer,
    description: 'An OpenID provider whose tokens are accepted. Without one, the server is its own provider.',
  },
  oidcAudience: {
    variable: 'FAULTLINE_OIDC_AUDIENCE',
    default: undefined,
    parser: text,
    description: "The audience that the provider's tokens must name. Needed with `FAULTLINE_OIDC_ISSUER`.",
  },
  publicUrl: {
    variable: 'FAULTLINE_PUBLIC_URL',
    default: undefined,
    parser: webAddress,
    description: 'Where people and clients reach the server, for links and as issuer. By default `http://HOST:PORT`.',
  },
  trustedProxies: {
    variable: 'FAULTLINE_TRUSTED_PROXIES',
    default: '',
    parser: networks,
    description: 'Proxies whose `X-Forwarded-*` headers are believed: addresses or networks, separated by commas.',
  },
  notifyNetworks: {
    variable: 'FAULTLINE_NOTIFY_NETWORKS',
    default: '',
    parser: networks,
    description:
      "Addresses or networks inside the server's own that notifications may be sent to, separated by commas. Others inside are refused: `127.0.0.0/8`, `10.0.0.0/8`, `169.254.0.0/16` and their like.",
  },
  tlsCertFile: {
    variable: 'FAULTLINE_TLS_CERT',
    default: undefined,
    parser: path,
    description: 'A file with the certificate and its chain (PEM): every port then speaks TLS.',
  },
  tlsKeyFile: {
    variable: 'FAULTLINE_TLS_KEY',
    default: undefined,
    parser: path,
    description: 'A file with the private key of that certificate (PEM).',
  },
  corsOrigins: {
    variable: 'FAULTLINE_CORS_ORIGINS',
    default: '',
    parser: origins,
    description: 'Origins whose pages may call the API, separated by commas.',
  },
  memoryLimitBytes: {
    variable: 'FAULTLINE_MEMORY_LIMIT',
    default: '256MB',
    parser: sizeAtLeast(64e6, '64MB'),
    description: 'Memory of the telemetry store. The process needs about 400 MB more.',
  },
  minFreeDisk: {
    variable: 'FAULTLINE_MIN_FREE_DISK',
    default: '1GB',
    parser: diskSpace,
    description: 'Telemetry is refused while less of the disk is free: a size, or a share such as `5%`.',
  },
  diskBudget: {
    variable: 'FAULTLINE_DISK_BUDGET',
    default: undefined,
    parser: diskSpace,
    description:
      'What telemetry may take of the disk: a size, or a share such as `60%`. Where it takes more, the oldest hours are removed first. By default the whole disk; Grids may have a share of it.',
  },
  queryTimeoutMs: {
    variable: 'FAULTLINE_QUERY_TIMEOUT',
    default: '30',
    parser: secondsAsMs,
    description: 'Seconds that one question to the store may take.',
  },
  logLevel: {
    variable: 'FAULTLINE_LOG_LEVEL',
    default: 'info',
    parser: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    description: 'What is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
  },
} as const satisfies Record<string, Setting<unknown>>

type Table = typeof SETTINGS
type ValueOf<S> = S extends { parser: Parser<infer T>; default: infer D }
  ? T | (D extends string ? never : undefined)
  : never

/** The value of each setting, undefined where it was not given and has no default. */
export type SettingValues = { readonly [K in keyof Table]: ValueOf<Table[K]> }

/** `FAULTLINE_OTLP_HTTP_PORT` is `--otlp-http-port` on the command line. */
export function flagOf(setting: Setting<unknown>): string {
  return `--${setting.variable.slice('FAULTLINE_'.length).toLowerCase().replaceAll('_', '-')}`
}
