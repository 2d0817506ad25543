import { validate } from '@apidevtools/swagger-parser'
import type { RouteOptions } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PROBLEM_KINDS, problemType } from './problem.ts'
import { createTestApp, type TestApp } from './testing/test-app.ts'

interface Operation {
  operationId: string
  summary: string
  security: Record<string, string[]>[]
  parameters?: { name: string; in: string }[]
  responses: Record<string, { content?: Record<string, { schema: { $ref?: string } }> }>
}

interface Document {
  openapi: string
  info: { description: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> }
}

let test: TestApp
let document: Document
const routes: RouteOptions[] = []

beforeAll(async () => {
  test = await createTestApp({ oauth: { handler: () => {} } })
  test.app.addHook('onRoute', (route) => void routes.push(route))
  document = (await test.app.inject('/openapi.json')).json()
})
afterAll(() => test.app.close())

const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) => Object.values(item).map((each) => ({ path, ...each })))

it('is a valid OpenAPI 3.1 document', async () => {
  expect(document.openapi).toBe('3.1.0')
  await validate(structuredClone(document) as unknown as Parameters<typeof validate>[0])
})

it('describes every endpoint of Traces and Diagnostics that exists', () => {
  const paths = operations().map(({ path }) => path)
  const diagnostics = '/apm/diagnostics/{gridSecondaryId}'
  const traces = '/apm/traces/{gridSecondaryId}'
  for (const path of [
    `${diagnostics}/health`,
    `${diagnostics}/trends`,
    `${diagnostics}/services`,
    `${diagnostics}/service/{serviceName}`,
    `${diagnostics}/slowest-endpoints`,
    `${diagnostics}/compare`,
    traces,
    `${traces}/details/{spanId}`,
    `${traces}/filters`,
    `${traces}/correlations/{traceId}/spans`,
    `${traces}/correlations/{traceId}/logs`,
    `${traces}/correlations/{traceId}/errors`,
    `${traces}/spans/{spanId}/tags`,
    `${traces}/spans/{spanId}/events`,
  ]) {
    expect(paths).toContain(path)
  }
})

it('gives every operation a name of its own, its security and its problems', () => {
  const ids = operations().map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { path, responses, security, parameters } of operations().filter((each) => each.path.startsWith('/apm'))) {
    expect(security, path).toEqual([{ apiKey: [] }, { bearer: [] }])
    expect(parameters, path).toContainEqual(expect.objectContaining({ name: 'api-version', in: 'query' }))
    for (const status of ['400', '401', '429', '500']) {
      const schema = responses[status]?.content?.['application/problem+json']?.schema
      expect(schema, `${path} ${status}`).toEqual({ $ref: '#/components/schemas/Problem' })
    }
  }
})

it('explains every kind of problem', () => {
  for (const kind of Object.keys(PROBLEM_KINDS) as (keyof typeof PROBLEM_KINDS)[]) {
    expect(document.info.description).toContain(`\`${problemType(kind)}\` | ${PROBLEM_KINDS[kind].status} |`)
  }
})

it('lets no route pass without a schema, nor without an access rule unless it is on the list of open ones', () => {
  const open = /^\/$|^\/(healthz|readyz|metrics|openapi\.json)$|^\/docs(\/|$)|^\/oauth(\/\*)?$|^\/\.well-known\//
  const refusesMethods = ({ schema }: RouteOptions) => schema?.summary === undefined && schema?.hide === true
  expect(routes.length).toBeGreaterThan(100)
  for (const route of routes) {
    expect(route.schema, route.url).toBeDefined()
    if (!open.test(route.url)) expect(refusesMethods(route) || route.config?.access, route.url).toBeTruthy()
  }
})

it('is shown by a page that calls nobody else', async () => {
  expect(await test.app.inject('/docs')).toMatchObject({ statusCode: 302, headers: { location: 'docs/' } })
  const page = await test.app.inject('/docs/')
  expect(page.body).toContain('<script src="reference.js">')
  expect(page.body).not.toMatch(/https?:/)
  expect(page.headers['content-security-policy']).toContain("connect-src 'self'")
  expect((await test.app.inject('/docs/start.js')).body).toContain('../openapi.json')
  expect((await test.app.inject('/docs/reference.js')).body).toContain('createApiReference')
})
