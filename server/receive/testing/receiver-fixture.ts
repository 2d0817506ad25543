import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { Grid, Scope } from '../../control/control-store.ts'
import { AuthenticationFailed, type Authenticator } from '../../identity/caller.ts'
import type { ExportOutcome, ExportRequest, Ingest } from '../../ingest/ingest.ts'
import { createIntake, type Intake } from '../intake.ts'
import { createIntakeMeasures } from '../intake-measures.ts'
import { createReceiver, type Receiver } from '../receiver.ts'

export const GRID_ID = '5b0fe6cc-7b4c-4b6e-9d0a-3c1e6f4f1a01'
export const INGEST_KEY = 'ingest-key-0123456789'
export const READ_KEY = 'read-key-0123456789'

const ACCEPTED: ExportOutcome = { accepted: 1, rejected: 0, reason: '', truncatedAttributes: 0 }

/** A receiver on stand-ins for what is behind it, whose answers a test may set. */
export interface ReceiverFixture {
  receiver: Receiver
  intake: Intake
  registry: Registry
  /** What was handed over, oldest first. */
  requests: ExportRequest[]
  logged: string[]
  grid: Grid
  isGridRemoved: boolean
  /** Held up, if a test wants it, before the key is looked at. */
  beforeAuthentication: () => Promise<void>
  /** Answers each request that is handed over. */
  onExport: (request: ExportRequest) => Promise<ExportOutcome>
  nowMs: number
  metric(line: string): Promise<string | undefined>
}

export function createReceiverFixture(budgetBytes?: number): ReceiverFixture {
  const registry = new Registry()
  const clock = (): number => fixture.nowMs
  const intake = createIntake({
    measures: createIntakeMeasures(registry),
    clock,
    ...(budgetBytes === undefined ? {} : { budgetBytes }),
  })
  const logged: string[] = []
  const logger = pino({ level: 'error' }, { write: (line: string) => logged.push(line) })
  const requests: ExportRequest[] = []
  const ingest: Pick<Ingest, 'export'> = {
    export(request) {
      requests.push(request)
      return fixture.onExport(request)
    },
  }
  const fixture: ReceiverFixture = {
    receiver: createReceiver({
      ingest,
      authenticator: authenticator(() => fixture.beforeAuthentication()),
      control: {
        grids: gridsOf(
          () => fixture.grid,
          () => fixture.isGridRemoved,
        ),
      },
      intake,
      clock,
      logger,
    }),
    intake,
    registry,
    requests,
    logged,
    grid: exampleGrid(),
    isGridRemoved: false,
    beforeAuthentication: async () => undefined,
    onExport: async () => ACCEPTED,
    nowMs: Date.UTC(2025, 0, 15, 12),
    async metric(line) {
      const lines = (await registry.metrics()).split('\n')
      return lines.find((candidate) => candidate.startsWith(`${line} `))?.slice(line.length + 1)
    },
  }
  return fixture
}

function authenticator(before: () => Promise<void>): Authenticator {
  const scopes = new Map<string, Scope[]>([
    [INGEST_KEY, ['ingest']],
    [READ_KEY, ['read']],
  ])
  return {
    async authenticate({ apiKey }) {
      await before()
      const granted = scopes.get(apiKey ?? '')
      if (granted === undefined) throw new AuthenticationFailed('The API key is not valid.')
      return { kind: 'key', id: 'k1', gridId: GRID_ID, role: 'User', scopes: granted }
    },
  }
}

function gridsOf(grid: () => Grid, isRemoved: () => boolean) {
  return { find: async (id: string) => (id === GRID_ID ? grid() : undefined), isRemoved }
}

function exampleGrid(): Grid {
  return {
    id: GRID_ID,
    name: 'shop',
    createdAtMs: 0,
    plan: 'standard',
    subscriptionState: 'active',
    rawRetentionDays: 7,
    aggregateRetentionDays: 90,
    diskSharePercent: null,
    recordsFromMs: 0,
    rateLimitCaller: null,
    rateLimitGrid: null,
    ingestQuota: null,
    apdex: { defaultMs: 500, byService: {} },
  }
}
