import { callTarget } from '../../domain/call-target.ts'
import type { Span } from '../../domain/span.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import type { Edge } from '../diagnostics-reader.ts'
import { type GridRows, spanKey } from './grid-rows.ts'
import { groupedBy } from './grouped-by.ts'
import { knownServices } from './request-spans.ts'
import { minuteOf } from './time-units.ts'
import { startsIn } from './trace-search.ts'

/** Who follows a call, by the call's key. */
interface Followers {
  children: Map<string, Span[]>
  consumers: Map<string, Span[]>
}

/** One call counts once for each target that it has. */
interface Contribution {
  call: Span
  targetName: string
  isUnanswered: boolean
}

/** With the minute of the calls; 0 unless minutes are told apart. */
export interface MinuteEdge extends Edge {
  minuteNs: bigint
}

export function edgesOf(rows: GridRows, window: TimeWindow): Edge[] {
  return edgeMinutes(rows, window, false).map(({ minuteNs: _, ...edge }) => edge)
}

export function edgeMinutes({ spans }: GridRows, window: TimeWindow, byMinute: boolean): MinuteEdge[] {
  const known = knownServices(spans, window)
  const followers = followersOf([...spans.values()])
  const contributions = [...spans.values()]
    .filter((span) => isCall(span) && startsIn(span, window))
    .flatMap((call) => contributionsOf(call, followers, known))
    .filter(({ call, targetName }) => targetName !== '' && targetName !== call.serviceName)
  const groups = groupedBy(contributions, ({ call, targetName }) =>
    JSON.stringify([call.serviceName, targetName, call.kind, byMinute ? String(minuteOf(call.startNs)) : '']),
  )
  return [...groups.values()].map((group) => edgeOf(group, known, byMinute))
}

function isCall(span: Span): boolean {
  return span.kind === 'CLIENT' || span.kind === 'PRODUCER'
}

function followersOf(spans: Span[]): Followers {
  const children = groupedBy(spans, (span) => spanKey(span.traceId, span.parentSpanId))
  const consumers = new Map<string, Span[]>()
  for (const span of spans.filter(({ kind }) => kind === 'CONSUMER')) {
    for (const { traceId, spanId } of span.links) {
      const key = spanKey(traceId, spanId)
      consumers.set(key, [...(consumers.get(key) ?? []), span])
    }
  }
  return { children, consumers }
}

function contributionsOf(call: Span, followers: Followers, known: Set<string>): Contribution[] {
  const key = spanKey(call.traceId, call.spanId)
  const children = followers.children.get(key) ?? []
  const consumers = followers.consumers.get(key) ?? []
  const callees = new Set([...children, ...consumers].map((span) => span.serviceName))
  callees.delete(call.serviceName)
  if (callees.size > 0) return [...callees].map((targetName) => ({ call, targetName, isUnanswered: false }))
  const { named, dependency } = callTarget(call.attributes)
  const targetName = known.has(named) ? named : dependency
  return [{ call, targetName, isUnanswered: call.status === 'ERROR' && children.length === 0 }]
}

function edgeOf(group: Contribution[], known: Set<string>, byMinute: boolean): MinuteEdge {
  const { call, targetName } = group[0] as Contribution
  const calls = group.map((contribution) => contribution.call)
  return {
    sourceName: call.serviceName,
    targetName,
    targetIsService: known.has(targetName),
    kind: call.kind === 'PRODUCER' ? 'PRODUCER' : 'CLIENT',
    minuteNs: byMinute ? minuteOf(call.startNs) : 0n,
    requestCount: group.length,
    errorCount: calls.filter((span) => span.status === 'ERROR').length,
    durationNsSum: calls.reduce((sum, span) => sum + span.durationNs, 0n),
    unansweredErrorCount: group.filter(({ isUnanswered }) => isUnanswered).length,
  }
}
