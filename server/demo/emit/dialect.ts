import type { Runtime } from '../topology/service-spec.ts'
import type { InstrumentationScope } from './recorded-span.ts'

/** What a runtime calls the things that go wrong, as its libraries word them. */
export interface Dialect {
  scopes: {
    server: InstrumentationScope
    client: InstrumentationScope
    database: InstrumentationScope
    messaging: InstrumentationScope
  }
  timeoutType: string
  refusedType: string
  answerType: string
  rejectedType: string
  poolTimeoutType: string
  poolTimeout(pool: string, size: number, waiting: number, timeoutMs: number): string
  frame(module: string, line: number): string
}

const scope = (name: string, version: string): InstrumentationScope => ({ name, version })

const java: Dialect = {
  scopes: {
    server: scope('io.opentelemetry.tomcat-10.0', '2.21.0-alpha'),
    client: scope('io.opentelemetry.java-http-client', '2.21.0-alpha'),
    database: scope('io.opentelemetry.jdbc', '2.21.0-alpha'),
    messaging: scope('io.opentelemetry.kafka-clients-2.6', '2.21.0-alpha'),
  },
  timeoutType: 'java.net.http.HttpTimeoutException',
  refusedType: 'java.net.ConnectException',
  answerType: 'org.springframework.web.client.HttpServerErrorException',
  rejectedType: 'java.util.concurrent.RejectedExecutionException',
  poolTimeoutType: 'java.sql.SQLTransientConnectionException',
  poolTimeout: (pool, size, waiting, timeoutMs) =>
    `${pool} - Connection is not available, request timed out after ${timeoutMs}ms (total=${size}, active=${size}, idle=0, waiting=${waiting})`,
  frame: (module, line) => `\tat shop.${module}.${pascal(module)}Service.handle(${pascal(module)}Service.java:${line})`,
}

const nodejs: Dialect = {
  scopes: {
    server: scope('@opentelemetry/instrumentation-http', '0.223.0'),
    client: scope('@opentelemetry/instrumentation-undici', '0.27.0'),
    database: scope('@opentelemetry/instrumentation-pg', '0.69.0'),
    messaging: scope('@opentelemetry/instrumentation-kafkajs', '0.26.0'),
  },
  timeoutType: 'TimeoutError',
  refusedType: 'ECONNREFUSED',
  answerType: 'UpstreamError',
  rejectedType: 'OverloadError',
  poolTimeoutType: 'Error',
  poolTimeout: () => 'timeout exceeded when trying to connect',
  frame: (module, line) => `    at async handle (/app/dist/${module}.js:${line}:17)`,
}

const go: Dialect = {
  scopes: {
    server: scope('go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp', '0.63.0'),
    client: scope('go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp', '0.63.0'),
    database: scope('github.com/exaring/otelpgx', '0.9.3'),
    messaging: scope('github.com/twmb/franz-go/plugin/kotel', '1.6.0'),
  },
  timeoutType: 'context.deadlineExceededError',
  refusedType: '*net.OpError',
  answerType: '*http.StatusError',
  rejectedType: '*server.OverloadedError',
  poolTimeoutType: '*pgxpool.AcquireError',
  poolTimeout: (pool, size) => `acquire from ${pool}: context deadline exceeded (${size} of ${size} in use)`,
  frame: (module, line) => `shop/${module}.(*Server).Handle(...)\n\t/src/${module}/server.go:${line}`,
}

const python: Dialect = {
  scopes: {
    server: scope('opentelemetry.instrumentation.fastapi', '0.59b0'),
    client: scope('opentelemetry.instrumentation.httpx', '0.59b0'),
    database: scope('opentelemetry.instrumentation.redis', '0.59b0'),
    messaging: scope('opentelemetry.instrumentation.aiokafka', '0.59b0'),
  },
  timeoutType: 'httpx.ReadTimeout',
  refusedType: 'httpx.ConnectError',
  answerType: 'httpx.HTTPStatusError',
  rejectedType: 'asyncio.QueueFull',
  poolTimeoutType: 'sqlalchemy.exc.TimeoutError',
  poolTimeout: (_pool, size, _waiting, timeoutMs) =>
    `QueuePool limit of size ${size} overflow 0 reached, connection timed out, timeout ${(timeoutMs / 1000).toFixed(2)}`,
  frame: (module, line) => `  File "/app/${module}/handlers.py", line ${line}, in handle`,
}

const dotnet: Dialect = {
  scopes: {
    server: scope('Microsoft.AspNetCore', '9.0.0'),
    client: scope('System.Net.Http', '9.0.0'),
    database: scope('OpenTelemetry.Instrumentation.StackExchangeRedis', '1.13.0'),
    messaging: scope('Confluent.Kafka', '2.11.0'),
  },
  timeoutType: 'System.Threading.Tasks.TaskCanceledException',
  refusedType: 'System.Net.Sockets.SocketException',
  answerType: 'System.Net.Http.HttpRequestException',
  rejectedType: 'System.InvalidOperationException',
  poolTimeoutType: 'System.TimeoutException',
  poolTimeout: (pool, size) => `The connection pool ${pool} has been exhausted (currently ${size})`,
  frame: (module, line) =>
    `   at Shop.${pascal(module)}.Handlers.HandleAsync() in /src/${pascal(module)}/Handlers.cs:line ${line}`,
}

export const DIALECTS: Record<Runtime, Dialect> = { java, nodejs, go, python, dotnet }

function pascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
