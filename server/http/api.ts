import type { FastifyInstance } from 'fastify'
import type { AppDependencies } from './app-dependencies.ts'
import { createCallerLimits } from './caller-limits.ts'
import { createGate } from './gate.ts'
import { Problem } from './problem.ts'
import { createQuestionSlots } from './question-slots.ts'
import { createMemoryBuckets } from './rate-limits.ts'
import { registerAlertRules } from './routes/alert-rules.ts'
import { registerAlerts } from './routes/alerts.ts'
import { registerAudit } from './routes/audit.ts'
import { registerBackups } from './routes/backups.ts'
import { registerChannels } from './routes/channels.ts'
import { registerCharts } from './routes/charts.ts'
import { registerClients } from './routes/clients.ts'
import { registerDashboards } from './routes/dashboards.ts'
import { registerDeletions } from './routes/deletions.ts'
import { registerDiagnostics } from './routes/diagnostics.ts'
import { registerGrids } from './routes/grids.ts'
import { registerKeys } from './routes/keys.ts'
import { registerLogs } from './routes/logs.ts'
import { registerMembers } from './routes/members.ts'
import { registerPrivacyRules } from './routes/privacy-rules.ts'
import { registerSilences } from './routes/silences.ts'
import { registerTraces } from './routes/traces.ts'
import { registerUsage } from './routes/usage.ts'
import { registerUsers } from './routes/users.ts'
import { createRoutes } from './routes.ts'
import { compileValidator } from './validation.ts'

/** Everything behind the gate. */
export async function registerApi(app: FastifyInstance, dependencies: AppDependencies): Promise<void> {
  const { control, telemetry, pictures, clock, limits, authenticator } = dependencies
  takeOnlyJson(app)
  app.setValidatorCompiler(compileValidator)

  let closing: string | undefined
  app.addHook('preClose', async () => {
    closing = 'The server is stopping.'
  })
  const gate = createGate({
    control,
    authentication: { authenticator, clock, failures: createMemoryBuckets() },
    limits: createCallerLimits(createMemoryBuckets(), limits, clock),
    closing: () => closing,
  })
  const slots = createQuestionSlots({
    perCaller: limits.questionsPerCaller ?? 4,
    waitMs: limits.questionWaitMs ?? 5000,
  })
  const routes = createRoutes(app, { gate, slots, telemetry, audit: control.audit, clock })
  registerDiagnostics(routes, control)
  registerTraces(routes)
  registerLogs(routes)
  registerCharts(routes, control, pictures)
  registerDashboards(routes, control)
  registerAlertRules(routes, control)
  registerAlerts(routes, control)
  registerChannels(routes, control, dependencies.notifications)
  registerSilences(routes, control)
  registerGrids(routes, control, telemetry, dependencies.removals)
  registerUsage(routes, telemetry, dependencies.diskBudgetBytes)
  registerKeys(routes, control)
  registerMembers(routes, control)
  registerUsers(routes, control)
  registerClients(routes, control)
  registerPrivacyRules(routes, control, dependencies.privacy)
  registerDeletions(routes, control)
  registerAudit(routes, control)
  registerBackups(routes, dependencies.backups)
}

function takeOnlyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  // Some clients name a content type without sending anything.
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) =>
    body === '' ? done(null, undefined) : parse(request, body, done),
  )
  app.addHook('preParsing', async ({ headers }, _reply, payload) => {
    const encoding = headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity') {
      throw new Problem('unsupported-media-type', 'The body must not be compressed.')
    }
    return payload
  })
}
