import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { validate } from '@apidevtools/swagger-parser'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ask } from './api.ts'
import { GRID_ID, type ServerProcess, startServer } from './server-process.ts'

const DIAGNOSTICS = '/apm/diagnostics/{gridSecondaryId}'
const TRACES = '/apm/traces/{gridSecondaryId}'
const LOGS = '/apm/logs/{gridSecondaryId}'
const ENDPOINTS = [
  ['get', `${DIAGNOSTICS}/health`],
  ['post', TRACES],
  ['get', `${TRACES}/details/{spanId}`],
  ['get', `${TRACES}/filters`],
  ['get', `${TRACES}/correlations/{traceId}/spans`],
  ['get', `${TRACES}/correlations/{traceId}/logs`],
  ['get', `${TRACES}/correlations/{traceId}/errors`],
  ['get', `${TRACES}/spans/{spanId}/tags`],
  ['get', `${TRACES}/spans/{spanId}/events`],
  ['post', LOGS],
  ['get', `${LOGS}/details/{id}`],
  ['get', `${LOGS}/filters`],
  ['get', `${LOGS}/patterns`],
] as const

interface Document {
  openapi: string
  servers: { url: string }[]
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>
}

let dataDir: string
let server: ServerProcess
let document: Document

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'faultline-openapi-'))
  server = await startServer(dataDir)
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document
})

afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

it('serves a valid OpenAPI 3.1 document of itself, without a key', async () => {
  expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: server.url }] })
  await validate(structuredClone(document) as unknown as Parameters<typeof validate>[0])
})

it('describes the endpoints that exist, and they exist', async () => {
  for (const [method, path] of ENDPOINTS) {
    expect(Object.keys(document.paths[path]?.[method]?.responses ?? {}), path).toEqual(
      expect.arrayContaining(['200', '400', '401', '403', '429', '500']),
    )
    const real = path
      .replace('{gridSecondaryId}', GRID_ID)
      .replace('{spanId}', 'a'.repeat(16))
      .replace('{traceId}', 'a'.repeat(32))
      .replace('{id}', 'a'.repeat(32))
    const asking = { method: method.toUpperCase(), headers: { 'api-key': undefined } }
    expect((await ask(server, real, asking)).status, path).toBe(401)
  }
})

/** Everything that a page loads by itself: scripts, styles, images, fonts. */
const LOADED = /(?:src|href|srcset|url|@import)\s*[=(:]?\s*["'(]?\s*((?:https?:)?\/\/[^\s"')>]+)/gi

it('is read at /docs, on a page that loads nothing from anywhere else', async () => {
  const response = await fetch(`${server.url}/docs`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^text\/html/)
  const html = await response.text()
  expect([...html.matchAll(LOADED)].map((match) => match[1])).toEqual([])
  const policy = response.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/https?:|\*/)
  const scripts = [...html.matchAll(/<script[^>]+src="([^"]+)"/g)].map((match) => match[1] ?? '')
  expect(scripts.length).toBeGreaterThan(0)
  for (const script of scripts) {
    const loaded = await fetch(new URL(script, response.url))
    expect({ script, status: loaded.status, type: loaded.headers.get('content-type') }).toMatchObject({
      status: 200,
      type: expect.stringContaining('javascript'),
    })
  }
})

it('answers who asks whether it lives, can serve, and how it fares', async () => {
  expect(await (await fetch(`${server.url}/healthz`)).json()).toEqual({ status: 'alive' })
  expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({ status: 'ready' })
  const metrics = await fetch(`${server.url}/metrics`)
  expect(metrics.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  expect(await metrics.text()).toMatch(/^# TYPE faultline_\w+ \w+$/m)
})
