import type { Saturation } from '../../pressure/saturation.ts'
import type { CauseKey } from '../catalogue.ts'
import type { Details, Overview } from '../facts.ts'
import { type Episode, NS_PER_MINUTE } from '../series/minute-axis.ts'
import { type EdgeSeries, minutesOf, type SeriesSums, sumsOver } from '../series/minute-series.ts'
import type { Suspect } from '../suspects/suspect.ts'

/** A suspect, and all that is known, for those who look for the cause. */
export interface Inquiry {
  suspect: Suspect
  overview: Overview
  details: Details
  /** From the onset to where its symptoms end. */
  episode: Episode
  /** Minutes without the symptoms. */
  calm: number[]
}

/** Why a suspect is at fault, in figures. */
export interface Explanation {
  cause: CauseKey
  /** The place, more closely than the service; empty where there is nothing more to say. */
  detail: string
  /** How well it explains what is seen, 0 to 1. */
  strength: number
  /** Each can be looked up through the API. */
  evidence: string[]
  /** When what it explains began, where that is not when the suspect's first bad requests did. */
  onsetNs?: bigint
  /** Whether it may well be the consequence of trouble in a service that this one calls. */
  mayFollow: boolean
}

/** Undefined where it is not this. */
export type CauseFinder = (inquiry: Inquiry) => Explanation | undefined

/** Symptoms of which the suspect explains less say little about when its trouble was. */
const TELLING_SHARE_MIN = 0.25
const CALM_MINUTES_MIN = 5

export function inquiryInto(suspect: Suspect, overview: Overview, details: Details): Inquiry {
  const { axis } = overview
  const telling = [...suspect.shares].filter(([, share]) => share >= TELLING_SHARE_MIN).map(([symptom]) => symptom)
  const from = Math.max(0, Math.min(axis.length - 1, Number((suspect.onsetNs - axis.startNs) / NS_PER_MINUTE)))
  const ends = [...telling, ...suspect.habits, ...suspect.ways].map(({ episode }) => episode.to)
  const to = Math.max(from + 1, ...ends, suspect.votes.length === 0 && suspect.jumps.length > 0 ? axis.length : 0)
  const outside = Array.from({ length: axis.length }, (_, minute) => minute).filter((m) => m < from || m >= to)
  const calm = outside.filter((minute) => telling.every((symptom) => symptom.calm.includes(minute)))
  return { suspect, overview, details, episode: { from, to }, calm: calm.length >= CALM_MINUTES_MIN ? calm : outside }
}

export interface BeforeAndDuring {
  before: SeriesSums
  during: SeriesSums
}

/** Calls of the suspect's service to a target, before and during. */
export function callsTo(
  { suspect, overview, episode, calm }: Inquiry,
  targetName: string,
): BeforeAndDuring | undefined {
  const series = overview.edges.find(
    (edge) => edge.sourceName === suspect.serviceName && edge.targetName === targetName,
  )
  return series && { before: sumsOver(series, calm), during: sumsOver(series, minutesOf(episode)) }
}

export function edgesInto({ suspect, overview }: Inquiry): EdgeSeries[] {
  return overview.edges.filter((edge) => edge.targetName === suspect.serviceName)
}

/** Of the suspect's service, fullest first. */
export function saturationsOf({ suspect, details }: Inquiry, ...types: string[]): Saturation[] {
  return details.saturations
    .filter(({ serviceName, type }) => serviceName === suspect.serviceName && types.includes(type))
    .toSorted((a, b) => b.queueDepth - a.queueDepth || b.utilization - a.utilization)
}

/** The share of the suspect's votes that say this. */
export function shareOfVotes({ suspect }: Inquiry, says: (vote: Suspect['votes'][number]) => boolean): number {
  return suspect.votes.filter(says).length / suspect.votes.length
}
