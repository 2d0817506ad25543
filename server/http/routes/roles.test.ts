import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../testing/test-app.ts'

/** From the weakest to the strongest. A stranger has proved who they are, and has no role on the Grid. */
const CALLERS = ['nobody', 'stranger', 'Guest', 'User', 'Member', 'Owner', 'administrator'] as const
type Caller = (typeof CALLERS)[number]

const GRID = '/apm/grids/{gridSecondaryId}'
const CHARTS = '/apm/charts/{gridSecondaryId}/charts'
const DASHBOARDS = '/apm/dashboards/{gridSecondaryId}/dashboards'

/** Every call that is documented, by the weakest who may make it. */
const CALLS: Record<Caller, string[]> = {
  nobody: ['GET /', 'GET /healthz', 'GET /metrics', 'GET /readyz'],
  stranger: ['GET /apm/grids'],
  Guest: [
    `GET ${CHARTS}`,
    `GET ${CHARTS}/{chartId}`,
    `GET ${CHARTS}/{chartId}/range-data`,
    `GET ${CHARTS}/{chartId}/render`,
    `GET ${DASHBOARDS}`,
    `GET ${DASHBOARDS}/{dashboardId}`,
    'GET /apm/diagnostics/{gridSecondaryId}/alerts',
    'GET /apm/diagnostics/{gridSecondaryId}/changes',
    'GET /apm/diagnostics/{gridSecondaryId}/compare',
    'GET /apm/diagnostics/{gridSecondaryId}/diagnosis',
    'GET /apm/diagnostics/{gridSecondaryId}/health',
    'GET /apm/diagnostics/{gridSecondaryId}/pressure',
    'GET /apm/diagnostics/{gridSecondaryId}/service/{serviceName}',
    'GET /apm/diagnostics/{gridSecondaryId}/services',
    'GET /apm/diagnostics/{gridSecondaryId}/slowest-endpoints',
    'GET /apm/diagnostics/{gridSecondaryId}/timeline',
    'GET /apm/diagnostics/{gridSecondaryId}/trends',
    `GET ${GRID}`,
    `GET ${GRID}/alert-rules`,
    `GET ${GRID}/alert-rules/{ruleId}`,
    `GET ${GRID}/alerts`,
    `GET ${GRID}/alerts/{alertId}`,
    `GET ${GRID}/silences`,
    `GET ${GRID}/usage`,
    'POST /apm/logs/{gridSecondaryId}',
    'GET /apm/logs/{gridSecondaryId}/details/{id}',
    'GET /apm/logs/{gridSecondaryId}/filters',
    'GET /apm/logs/{gridSecondaryId}/patterns',
    'POST /apm/traces/{gridSecondaryId}',
    'GET /apm/traces/{gridSecondaryId}/correlations/{traceId}/errors',
    'GET /apm/traces/{gridSecondaryId}/correlations/{traceId}/logs',
    'GET /apm/traces/{gridSecondaryId}/correlations/{traceId}/spans',
    'GET /apm/traces/{gridSecondaryId}/details/{spanId}',
    'GET /apm/traces/{gridSecondaryId}/filters',
    'GET /apm/traces/{gridSecondaryId}/spans/{spanId}/events',
    'GET /apm/traces/{gridSecondaryId}/spans/{spanId}/tags',
  ],
  User: [`POST ${GRID}/alerts/{alertId}/acknowledge`],
  Member: [
    `POST ${GRID}/alert-rules`,
    `DELETE ${GRID}/alert-rules/{ruleId}`,
    `PUT ${GRID}/alert-rules/{ruleId}`,
    `GET ${GRID}/channels`,
    `POST ${GRID}/channels`,
    `GET ${GRID}/channels/{channelId}`,
    `DELETE ${GRID}/channels/{channelId}`,
    `PUT ${GRID}/channels/{channelId}`,
    `GET ${GRID}/channels/{channelId}/deliveries`,
    `POST ${GRID}/channels/{channelId}/test`,
    `POST ${GRID}/silences`,
    `DELETE ${GRID}/silences/{silenceId}`,
    `POST ${CHARTS}`,
    `DELETE ${CHARTS}/{chartId}`,
    `PUT ${CHARTS}/{chartId}`,
    `POST ${DASHBOARDS}`,
    `DELETE ${DASHBOARDS}/{dashboardId}`,
    `PUT ${DASHBOARDS}/{dashboardId}`,
  ],
  Owner: [
    `DELETE ${GRID}`,
    `PUT ${GRID}`,
    `PUT ${GRID}/apdex`,
    `GET ${GRID}/audit`,
    `GET ${GRID}/deletions`,
    `POST ${GRID}/deletions`,
    `GET ${GRID}/deletions/{deletionId}`,
    `GET ${GRID}/keys`,
    `POST ${GRID}/keys`,
    `DELETE ${GRID}/keys/{keyId}`,
    `POST ${GRID}/keys/{keyId}/rotate`,
    `PUT ${GRID}/limits`,
    `GET ${GRID}/members`,
    `DELETE ${GRID}/members/{subject}`,
    `PUT ${GRID}/members/{subject}`,
    `GET ${GRID}/privacy-rules`,
    `POST ${GRID}/privacy-rules`,
    `GET ${GRID}/privacy-rules/{privacyRuleId}`,
    `DELETE ${GRID}/privacy-rules/{privacyRuleId}`,
    `PUT ${GRID}/privacy-rules/{privacyRuleId}`,
    `PUT ${GRID}/retention`,
    `PUT ${GRID}/subscription`,
  ],
  administrator: [
    'GET /apm/audit',
    'POST /apm/backups',
    'GET /apm/backups/{backupId}',
    'GET /apm/clients',
    'POST /apm/clients',
    'DELETE /apm/clients/{clientId}',
    'POST /apm/grids',
    'GET /apm/users',
    'POST /apm/users',
    'DELETE /apm/users/{userId}',
  ],
}

let test: TestApp
let documented: string[]

beforeAll(async () => {
  test = await createTestApp({ limits: { callerPerMinute: 100_000, gridPerMinute: 100_000 } })
  const { paths } = (await test.app.inject('/openapi.json')).json<{ paths: Record<string, object> }>()
  documented = Object.entries(paths).flatMap(([path, calls]) =>
    Object.keys(calls).map((method) => `${method.toUpperCase()} ${path}`),
  )
})
afterAll(() => test.app.close())

it('every call that is documented is in the table, and no other', () => {
  expect(documented.sort()).toEqual(Object.values(CALLS).flat().sort())
})

const weakestOfCall = Object.entries(CALLS).flatMap(([caller, calls]) =>
  calls.map((call) => [call, caller as Caller] as const),
)

it.each(weakestOfCall)(
  '%s may be made by %s and anyone stronger, and is refused to all others',
  async (call, weakest) => {
    for (const caller of CALLERS) {
      // Whoever is let in may do what cannot be undone.
      await test.useNewGrid()
      const { status, body } = await test.ask({ ...requestOf(call), headers: await credentialsOf(caller) })
      const isAllowed = CALLERS.indexOf(caller) >= CALLERS.indexOf(weakest)
      const expected = isAllowed ? 'let in' : caller === 'nobody' ? 401 : 403
      expect(status === 401 || status === 403 ? status : 'let in', `${caller}: ${JSON.stringify(body)}`).toBe(expected)
    }
  },
)

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

/** Nothing that is named is there, and nothing that is sent makes sense: neither is looked at before the caller is. */
function requestOf(call: string): InjectOptions & { url: string } {
  const [method = '', path = ''] = call.split(' ')
  const url = path.replace('{gridSecondaryId}', test.gridId).replaceAll(/\{\w+\}/g, UNKNOWN_ID)
  const hasBody = method === 'POST' || method === 'PUT'
  return { method: method as 'GET', url, ...(hasBody ? { payload: {} } : {}) }
}

async function credentialsOf(caller: Caller): Promise<Record<string, string>> {
  if (caller === 'nobody') return {}
  if (caller === 'stranger') return await test.person('stranger')
  if (caller === 'administrator') return await test.person('root', { admin: true })
  return await test.person(`${caller}-${test.gridId}`, { role: caller })
}
