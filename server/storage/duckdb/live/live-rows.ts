import type { SpanColumns } from '../../../domain/columns/span-columns.ts'
import { fingerprint, fingerprintOf, mixBytes } from '../write/fingerprint.ts'
import type { LiveGrid } from './live-grids.ts'
import type { LinkKeys, LiveSpans } from './live-spans.ts'
import { CONSUMER } from './span-kinds.ts'
import type { Segment } from './span-ring.ts'

const TWO_TO_32 = 4_294_967_296
const NS_PER_HOUR_AS_DOUBLE = 3.6e12
const NS_PER_MINUTE_AS_DOUBLE = 6e10

/** Adds a span that waits for its commit. */
export function addLiveRow(
  live: LiveSpans,
  grid: LiveGrid,
  hour: number,
  origin: { id: number; service: number },
  spans: SpanColumns,
  row: number,
): void {
  const place = live.reserve()
  const { segment, row: to } = place
  const hasParent = fillKeys(segment, to, grid, spans.traceIds, row * 16, spans.spanIds, spans.parentIds, row * 8)
  fillTimes(segment, to, hour, spans.startNsHalves, spans.durationNsHalves, row)
  segment.grid[to] = grid.index
  segment.kind[to] = spans.kinds[row] as number
  segment.status[to] = spans.statuses[row] as number
  segment.service[to] = origin.service
  segment.origin[to] = origin.id
  const { operations, calledNames, dependencies, links } = spans
  segment.operation[to] = live.texts.of(operations.bytes, operations.startOf(row), operations.endOf(row))
  segment.called[to] = live.texts.of(calledNames.bytes, calledNames.startOf(row), calledNames.endOf(row))
  segment.dependency[to] = live.texts.of(dependencies.bytes, dependencies.startOf(row), dependencies.endOf(row))
  const hasLinks = spans.kinds[row] === CONSUMER && links.startOf(row) !== links.endOf(row)
  live.added(place, spans.receives[row] === 1, hasParent, hasLinks ? linkKeys(grid, links.textOf(row)) : undefined)
}

/** Works out the keys of a span and of its parent. Whether it has one. */
export function fillKeys(
  segment: Segment,
  to: number,
  grid: LiveGrid,
  traceIds: Uint8Array,
  traceAt: number,
  spanIds: Uint8Array,
  parentIds: Uint8Array,
  at: number,
): boolean {
  fingerprintOf(grid.seeds, traceIds, traceAt, 16)
  const { high, low } = fingerprint
  mixBytes(spanIds, at, 8)
  segment.keyHigh[to] = fingerprint.high
  segment.keyLow[to] = fingerprint.low
  fingerprint.high = high
  fingerprint.low = low
  mixBytes(parentIds, at, 8)
  segment.parentHigh[to] = fingerprint.high
  segment.parentLow[to] = fingerprint.low
  for (let i = at; i < at + 8; i++) if (parentIds[i] !== 0) return true
  return false
}

export function fillTimes(
  segment: Segment,
  to: number,
  hour: number,
  startHalves: Uint32Array,
  durationHalves: Uint32Array,
  row: number,
): void {
  segment.hour[to] = hour
  segment.minute[to] = minuteOf(hour, startHalves[row * 2] as number, (startHalves[row * 2 + 1] as number) | 0)
  segment.startHalves[to * 2] = startHalves[row * 2] as number
  segment.startHalves[to * 2 + 1] = startHalves[row * 2 + 1] as number
  segment.durationHalves[to * 2] = durationHalves[row * 2] as number
  segment.durationHalves[to * 2 + 1] = durationHalves[row * 2 + 1] as number
}

function minuteOf(hour: number, low: number, high: number): number {
  const intoHourNs = high * TWO_TO_32 + low - hour * NS_PER_HOUR_AS_DOUBLE
  const minute = Math.floor(intoHourNs / NS_PER_MINUTE_AS_DOUBLE)
  const intoMinuteNs = intoHourNs - minute * NS_PER_MINUTE_AS_DOUBLE
  // A double has not all digits of the nanoseconds: near the border the exact arithmetic decides.
  if (intoMinuteNs > 1e6 && NS_PER_MINUTE_AS_DOUBLE - intoMinuteNs > 1e6) return minute
  const ns = ((BigInt(high) << 32n) | BigInt(low)) - BigInt(hour) * 3_600_000_000_000n
  return Number(ns / 60_000_000_000n)
}

/** The keys of the spans that a consumer's links name. Links that cannot be read name nobody. */
export function linkKeys(grid: LiveGrid, json: string): LinkKeys {
  return readLinks(json).flatMap(({ traceId, spanId }) => {
    const [trace, span] = [Buffer.from(traceId, 'hex'), Buffer.from(spanId, 'hex')]
    return trace.length === 16 && span.length === 8 ? [keyOf(grid, trace, span)] : []
  })
}

export function keyOf(grid: LiveGrid, trace: Uint8Array, span: Uint8Array): { high: number; low: number } {
  fingerprintOf(grid.seeds, trace, 0, 16)
  mixBytes(span, 0, 8)
  return { high: fingerprint.high, low: fingerprint.low }
}

function readLinks(json: string): { traceId: string; spanId: string }[] {
  try {
    const links: unknown = JSON.parse(json)
    return Array.isArray(links) ? links.filter(isLink) : []
  } catch {
    return []
  }
}

function isLink(link: unknown): link is { traceId: string; spanId: string } {
  const { traceId, spanId } = (link ?? {}) as Record<string, unknown>
  return typeof traceId === 'string' && typeof spanId === 'string'
}
