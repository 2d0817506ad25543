import { isoOfNs } from '../../../domain/time-window.ts'
import type { Saturation } from '../../pressure/saturation.ts'
import { rounded } from '../../rounding.ts'
import type { CastVote } from '../suspects/suspect.ts'

const MESSAGE_LENGTH_MAX = 160

export function percent(share: number): string {
  return `${rounded(share * 100)} %`
}

export function milliseconds(ms: number): string {
  return `${ms >= 100 ? Math.round(ms) : rounded(ms)} ms`
}

export function times(factor: number): string {
  return `${Math.round(factor * 10) / 10} times`
}

export function clock(ns: bigint): string {
  return `${isoOfNs(ns).slice(11, 19)}Z`
}

/** Never more than a line, whatever an exception says. */
export function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > MESSAGE_LENGTH_MAX ? `${line.slice(0, MESSAGE_LENGTH_MAX - 1)}…` : line
}

/** What most of these votes failed with, and a trace in which to see it. */
export function failureLine(votes: CastVote[], all: number): string {
  const counts = new Map<string, { text: string; votes: number; traceId: string }>()
  for (const { failure, traceId } of votes) {
    if (!failure) continue
    const text = shortened([failure.type, failure.message].filter(Boolean).join(': ')) || 'no reason given'
    const key = text.replaceAll(/[0-9a-f]{8,}|\d+/gi, '#')
    const known = counts.get(key)
    if (known) known.votes++
    else counts.set(key, { text, votes: 1, traceId })
  }
  const most = [...counts.values()].toSorted((a, b) => b.votes - a.votes)[0]
  if (most === undefined) return ''
  return `${most.votes} of ${all} bad requests looked at failed with ${most.text}, as in trace ${most.traceId}`
}

export function saturationLine(saturation: Saturation): string {
  const { type, resource, instance, serviceName, utilization, queueDepth, onsetNs } = saturation
  const name = [type.replaceAll('_', ' '), resource === type ? '' : resource, instance && `on ${instance}`]
  const level = utilization > 0 ? ` at ${rounded(utilization)} %` : ''
  const waiting = queueDepth > 0 ? `, ${Math.round(queueDepth)} waiting` : ''
  return `${serviceName}: ${name.filter(Boolean).join(' ')}${level}${waiting} since ${clock(onsetNs)} (pressure)`
}
