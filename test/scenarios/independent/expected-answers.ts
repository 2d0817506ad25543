import { Percentile, Rate } from './expected.ts'
import { expectedErrors } from './expected-errors.ts'
import type { RawCall, RawGrid, RawWindow } from './raw-figures.ts'
import type { RawSpan } from './raw-span.ts'

const NS_PER_MINUTE = 60e9
const STATUSES = ['unhealthy', 'degraded', 'unknown', 'healthy']

export function windowsOf(atNs: number, minutes: number): { current: RawWindow; baseline: RawWindow } {
  const startNs = atNs - minutes * NS_PER_MINUTE
  return {
    current: { startNs, endNs: atNs },
    baseline: { startNs: startNs - 60 * NS_PER_MINUTE, endNs: startNs },
  }
}

export function figuresOf(spans: RawSpan[]) {
  const requestCount = spans.length
  const share = (sum: number) => (requestCount === 0 ? 0 : sum / requestCount)
  const frustration = spans.map(({ failed, durationNs }) =>
    failed || durationNs > 2e9 ? 0 : durationNs > 5e8 ? 0.5 : 1,
  )
  return {
    requestCount,
    errorRate: share(spans.filter(({ failed }) => failed).length * 100),
    avgLatencyMs: share(sumOf(spans.map(({ durationNs }) => durationNs)) / 1e6),
    apdex: requestCount === 0 ? 1 : sumOf(frustration) / requestCount,
  }
}

export function expectedHealth(grid: RawGrid, atNs: number, minutes: number) {
  const { current, baseline } = windowsOf(atNs, minutes)
  const now = groupsOf(grid.requests(current), ({ service }) => service)
  const before = groupsOf(grid.requests(baseline), ({ service }) => service)
  const unreached = unreachedOf(grid.calls(current))
  const services = [...new Set([...now.keys(), ...before.keys()])].map((serviceName) => {
    const { requestCount, errorRate, avgLatencyMs, apdex } = figuresOf(now.get(serviceName) ?? [])
    const silent = unreached.has(serviceName) ? 'unhealthy' : 'unknown'
    const status = requestCount === 0 ? silent : statusOf(requestCount, errorRate, apdex)
    return { serviceName, status, errorRate, apdex, requestCount, avgLatencyMs }
  })
  services.sort(
    (a, b) =>
      STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status) ||
      b.requestCount - a.requestCount ||
      inOrder(a.serviceName, b.serviceName),
  )
  return { overallStatus: services[0]?.status ?? 'unknown', services }
}

export function expectedServices(grid: RawGrid, atNs: number, minutes: number) {
  const { current } = windowsOf(atNs, minutes)
  const spans = groupsOf(grid.within(current), ({ service }) => service)
  const requests = groupsOf(grid.requests(current), ({ service }) => service)
  const services = [...spans].map(([name, own]) => {
    const asked = requests.get(name) ?? []
    const { requestCount, errorRate } = figuresOf(asked)
    return { name, type: typeOf(asked.length > 0 ? asked : own), requestCount, errorRate }
  })
  const edges = [...groupsOf(grid.calls(current), ({ span, target }) => JSON.stringify([span.service, target]))]
    .map(([key, calls]) => {
      const [source = '', target = ''] = JSON.parse(key) as string[]
      const { requestCount, errorRate, avgLatencyMs } = figuresOf(calls.map(({ span }) => span))
      return { source, target, requestCount, errorRate, avgLatencyMs }
    })
    .sort((a, b) => b.requestCount - a.requestCount || inOrder(a.source, b.source) || inOrder(a.target, b.target))
  services.sort((a, b) => b.requestCount - a.requestCount || inOrder(a.name, b.name))
  return { services, edges }
}

export function expectedService(grid: RawGrid, serviceName: string, atNs: number, minutes: number) {
  const { current } = windowsOf(atNs, minutes)
  const requests = grid.requests(current).filter(({ service }) => service === serviceName)
  const calls = grid.calls(current)
  const { requestCount, errorRate, apdex } = figuresOf(requests)
  const silent = unreachedOf(calls).has(serviceName) ? 'unhealthy' : 'unknown'
  const endpoints = [...groupsOf(requests, ({ operation }) => operation)].map(([operation, own]) => {
    const figures = figuresOf(own)
    return {
      operation,
      requestCount: figures.requestCount,
      errorRate: figures.errorRate,
      avgLatencyMs: figures.avgLatencyMs,
      p95LatencyMs: percentileOf(own, 95),
    }
  })
  endpoints.sort((a, b) => b.requestCount - a.requestCount || inOrder(a.operation, b.operation))
  return {
    serviceName,
    status: requestCount === 0 ? silent : statusOf(requestCount, errorRate, apdex),
    apdex,
    errorRate,
    requestCount,
    endpoints: endpoints.slice(0, 100),
    topErrors: expectedErrors(grid, grid.within(current), serviceName),
    dependencies: dependenciesOf(calls.filter(({ span }) => span.service === serviceName)),
  }
}

/** The average stands for each call that did not fail, as the API's documentation says. */
function dependenciesOf(calls: RawCall[]) {
  const dependencies = [...groupsOf(calls, ({ target }) => target)].map(([name, own]) => {
    const { requestCount, errorRate, avgLatencyMs } = figuresOf(own.map(({ span }) => span))
    const satisfaction = avgLatencyMs <= 500 ? 1 : avgLatencyMs <= 2000 ? 0.5 : 0
    const apdex = satisfaction * (1 - errorRate / 100)
    return { name, requestCount, status: statusOf(requestCount, errorRate, apdex), errorRate, avgLatencyMs }
  })
  dependencies.sort((a, b) => b.requestCount - a.requestCount || inOrder(a.name, b.name))
  return dependencies.map(({ requestCount: _, ...dependency }) => dependency)
}

export function expectedTrends(grid: RawGrid, atNs: number, minutes: number) {
  const { current, baseline } = windowsOf(atNs, minutes)
  const firstNs = grid.spans.reduce((first, { startNs }) => Math.min(first, startNs), Number.POSITIVE_INFINITY)
  const [now, before] = [current, baseline].map((window) => {
    const requests = grid.requests(window)
    const seconds = Math.max(1, (window.endNs - Math.min(window.endNs, Math.max(window.startNs, firstNs))) / 1e9)
    const percentiles = {
      p50: percentileOf(requests, 50),
      p95: percentileOf(requests, 95),
      p99: percentileOf(requests, 99),
    }
    return { ...figuresOf(requests), percentiles, rps: requests.length / seconds }
  })
  if (!now || !before) throw new Error('two windows have two results')
  return {
    latency: { current: now.percentiles, baseline: before.percentiles },
    errorRate: { current: now.errorRate, baseline: before.errorRate },
    throughput: { currentRps: new Rate(now.rps), baselineRps: new Rate(before.rps) },
    requestCounts: [before.requestCount, now.requestCount] as const,
    baselineMinutes: (baseline.endNs - Math.max(baseline.startNs, firstNs)) / NS_PER_MINUTE,
  }
}

export function groupsOf<T>(items: T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

export function percentileOf(spans: RawSpan[], percent: number): Percentile {
  return new Percentile(
    spans.map(({ durationNs }) => durationNs),
    percent,
  )
}

function inOrder(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

function statusOf(requestCount: number, errorRate: number, apdex: number): string {
  if (errorRate >= 25 || apdex < 0.5) return requestCount < 5 ? 'degraded' : 'unhealthy'
  return errorRate >= 5 || apdex < 0.7 ? 'degraded' : 'healthy'
}

function unreachedOf(calls: RawCall[]): Set<string> {
  return new Set(calls.filter(({ unanswered }) => unanswered).map(({ target }) => target))
}

function typeOf(spans: RawSpan[]): string {
  const kinds = spans.map(({ kind }) => (kind === 'PRODUCER' ? 'CLIENT' : kind))
  const countOf = (kind: string) => kinds.filter((each) => each === kind).length
  return ['SERVER', 'CONSUMER', 'CLIENT', 'INTERNAL'].reduce((most, kind) =>
    countOf(kind) > countOf(most) ? kind : most,
  )
}

function sumOf(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
