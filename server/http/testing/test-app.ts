import type { FastifyInstance, InjectOptions } from 'fastify'
import { type Logger, pino } from 'pino'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { createBackups } from '../../backup/backups.ts'
import type { ControlStore, Role, Scope } from '../../control/control-store.ts'
import { openSqliteControlStore } from '../../control/sqlite/open-control-store.ts'
import type { ApdexThresholds } from '../../domain/apdex.ts'
import { createAuthenticator } from '../../identity/authenticator.ts'
import type { Bearer } from '../../identity/bearer.ts'
import { AuthenticationFailed, type Caller } from '../../identity/caller.ts'
import { createTestNotifier } from '../../notify/testing/test-notifier.ts'
import { type LogLiteral, logColumnsOf } from '../../storage/conformance/log-builder.ts'
import { metricPointOf, type PointLiteral } from '../../storage/conformance/metric-builder.ts'
import { type SpanLiteral, spanColumnsOf } from '../../storage/conformance/span-builder.ts'
import { atNs, MS_PER_HOUR } from '../../storage/conformance/test-time.ts'
import { createMemoryStore } from '../../storage/memory/memory-store.ts'
import type { TelemetryReader } from '../../storage/telemetry-store.ts'
import { createApp } from '../app.ts'
import type { AppDependencies } from '../app-dependencies.ts'
import { PROBLEM_KINDS, type ProblemKind } from '../problem.ts'

/** Two hours after the moment that spans and logs in tests count from. */
export const NOW_MS = Number(atNs(2 * MS_PER_HOUR) / 1_000_000n)

export interface TestApp {
  app: FastifyInstance
  control: ControlStore
  /** The Grid that everything below is about. */
  gridId: string
  /** Goes on with a new, empty Grid, which is quicker than a new app. */
  useNewGrid(): Promise<void>
  /** Puts telemetry into the Grid. */
  write(spans: SpanLiteral[], logs?: LogLiteral[], points?: PointLiteral[]): Promise<void>
  /** Judges the Grid's requests by these, as the server does once its settings say so. */
  setApdex(thresholds: ApdexThresholds): Promise<void>
  /** Every line that was logged. */
  logged: string[]
  setNow(ms: number): void
  /** A new key of the Grid, as the headers of a request. */
  key(role?: Role, scopes?: Scope[]): Promise<Record<string, string>>
  /** A token of a person, as the headers of a request. */
  person(id: string, options?: { admin?: boolean; role?: Role }): Promise<Record<string, string>>
  /** Asks with the version given, and makes sure that the answer is what the documentation says. */
  ask(options: InjectOptions & { url: string }): Promise<Answer>
  /** Puts methods instead of the store's, to make them fail or wait. */
  setReader(override: Partial<TelemetryReader>): void
}

export interface Answer {
  status: number
  headers: Record<string, unknown>
  body: AnswerBody
  /** Of a problem. */
  detail: string
  text: string
}

/** Fields that tests read one by one; what is not there is undefined. */
interface AnswerBody {
  [field: string]: unknown
  id: string
  secret: string
  gridSecondaryId: string
  items: unknown[]
  totalCount: number
}

export async function createTestApp(options: Partial<AppDependencies> = {}): Promise<TestApp> {
  let nowMs = NOW_MS
  const clock = () => nowMs
  const control = await openSqliteControlStore(':memory:')
  const store = createMemoryStore()
  const overrides: Partial<TelemetryReader> = {}
  const { logger, logged } = createLog()
  const people = new Map<string, Caller>()
  const app = createApp({
    control,
    clock,
    logger,
    telemetry: {
      reader: (gridId) => ({ ...store.reader(gridId), ...overrides }),
      setApdex: (gridId, thresholds) => store.setApdex(gridId, thresholds),
      usage: (gridId) => store.usage(gridId),
    },
    privacy: { setPrivacy: async () => undefined },
    backups: createBackups({
      control,
      telemetry: store,
      clock,
      dataDir: '/nowhere/data',
      keptFreeBytes: async () => 0,
      report: () => undefined,
    }),
    authenticator: createAuthenticator({ control, bearer: createTestBearer(people) }),
    pictures: { draw: async (picture) => Buffer.from(JSON.stringify(picture)) },
    limits: { callerPerMinute: 600, gridPerMinute: 3000 },
    corsOrigins: [],
    trustedProxies: [],
    ready: async () => undefined,
    renderMetrics: async () => 'up 1\n',
    notifications: createTestNotifier(control, { clock }),
    removals: { finish: async () => undefined },
    diskBudgetBytes: 1_000_000_000,
    publicUrl: 'http://localhost:8080',
    ...options,
  })
  app.addHook('onClose', control.close)
  checkAnswers(app)
  const test: TestApp = {
    app,
    control,
    logged,
    gridId: '',
    async useNewGrid() {
      test.gridId = (await control.grids.create({ name: 'test' })).id
    },
    setNow: (ms) => {
      nowMs = ms
    },
    setReader: (override) => Object.assign(overrides, override),
    async write(spans, logs = [], points = []) {
      await store.writeSpans(test.gridId, spanColumnsOf(spans))
      await store.writeLogs(test.gridId, logColumnsOf(logs))
      await store.writeMetrics(test.gridId, points.map(metricPointOf))
    },
    async setApdex(apdex) {
      await control.grids.update(test.gridId, { apdex })
      await store.setApdex(test.gridId, apdex)
    },
    async key(role = 'Owner', scopes = ['read', 'ingest', 'manage']) {
      const { secret } = await control.keys.create({
        gridId: test.gridId,
        name: 'test',
        role,
        scopes,
        expiresAtMs: null,
      })
      return { 'api-key': secret }
    },
    async person(id, { admin = false, role } = {}) {
      people.set(id, { kind: 'user', id, subjects: [id], admin })
      if (role) await control.members.put({ gridId: test.gridId, subject: id, role })
      return { authorization: `Bearer ${id}` }
    },
    async ask({ headers, ...request }) {
      const response = await app.inject({ ...request, headers: { 'x-api-version': '2.0', ...headers } })
      const isJson = response.body !== '' && String(response.headers['content-type']).includes('json')
      const body = isJson ? response.json() : {}
      return { status: response.statusCode, headers: response.headers, body, detail: body.detail, text: response.body }
    },
  }
  await test.useNewGrid()
  return test
}

const validators = new WeakMap<TSchema, Validator>()

/** Fails a test as soon as any route answers with something that its schema does not describe. */
function checkAnswers(app: FastifyInstance): void {
  app.addHook('preSerialization', async ({ routeOptions }, reply, payload) => {
    const responses = routeOptions.schema?.response as Record<number, Described> | undefined
    const schema = responses?.[reply.statusCode]?.content?.['application/json']?.schema
    if (!schema) return payload
    const validator = validators.get(schema) ?? Compile(schema)
    validators.set(schema, validator)
    const errors = validator.Check(payload) ? [] : validator.Errors(payload)
    if (errors.length > 0) throw new Error(`Not as documented: ${JSON.stringify(errors)}`)
    return payload
  })
}

interface Described {
  content?: Record<string, { schema: TSchema }>
}

/** Tokens are the ids of people. */
function createTestBearer(people: Map<string, Caller>): Bearer {
  return async (token) => {
    const person = people.get(token)
    if (!person) throw new AuthenticationFailed('The token is not valid.')
    return person
  }
}

function createLog(): { logger: Logger; logged: string[] } {
  const logged: string[] = []
  return { logger: pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) }), logged }
}

/** What an answer of this kind looks like. */
export function problem(kind: ProblemKind) {
  const { status } = PROBLEM_KINDS[kind]
  return { status, body: { type: `urn:faultline:problem:${kind}`, status } }
}
