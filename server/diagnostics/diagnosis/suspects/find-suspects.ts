import { NO_SIGNS, type Signs } from '../facts.ts'
import { groupedBy } from '../grouped-by.ts'
import { suspectOf as suspectOfHabit } from '../habits/habit.ts'
import type { EdgeSeries } from '../series/minute-series.ts'
import type { Symptom } from '../symptoms/symptom.ts'
import { type Place, placeKey } from '../traces/place.ts'
import { earliestTogether } from './earliest-together.ts'
import type { CastVote, Part, Suspect } from './suspect.ts'

/** With fewer votes, or a smaller share of every symptom, a service is named by chance. */
const VOTES_MIN = 3
const SHARE_MIN = 0.25
/** A way that far fewer requests name than the slowest one is slow by chance. */
const WAY_SHARE_MIN = 0.2

/** The services that bad requests name, most votes first; then those that only behave as they did not. */
export function findSuspects(votes: CastVote[], edges: EdgeSeries[] = [], signs: Signs = NO_SIGNS): Suspect[] {
  const delayed = shareOfSlowWays(votes, edges)
  const byService = groupedBy(votes, ({ place }) => knownEnd(place, signs) ?? serviceAtFault(place, delayed))
  const counts = groupedBy(votes, ({ symptom }) => symptom)
  const named = [...byService]
    .map(([serviceName, own]) => suspectOf(serviceName, own, counts))
    .filter(({ votes: own, shares }) => own.length >= VOTES_MIN && Math.max(...shares.values()) >= SHARE_MIN)
    .toSorted((a, b) => b.votes.length - a.votes.length)
    .map((suspect) => ({ ...suspect, ...signsOf(suspect.serviceName, signs) }))
  return [...named, ...withoutVotes(signs, new Set(named.map(({ serviceName }) => serviceName)))]
}

/** Where all calls between two services are known to be slow, so is the end that it is for. */
function knownEnd(place: Place, { ways }: Signs): string | undefined {
  if (place.at !== 'network') return undefined
  return ways.find((way) => way.sourceName === place.serviceName && way.targetName === place.targetName)?.serviceName
}

function signsOf(serviceName: string, { habits, jumps, ways }: Signs): Signs & Pick<Suspect, 'speaksOf'> {
  const reported = habits.filter((habit) => habit.serviceName === serviceName)
  return {
    habits: habits.filter((habit) => suspectOfHabit(habit) === serviceName),
    speaksOf: new Set(reported.map(suspectOfHabit).filter((name) => name !== serviceName)),
    jumps: jumps.filter(({ saturation }) => saturation.serviceName === serviceName),
    ways: ways.filter((way) => way.serviceName === serviceName),
  }
}

function withoutVotes(signs: Signs, known: ReadonlySet<string>): Suspect[] {
  const names = [
    ...signs.habits.map(suspectOfHabit),
    ...signs.ways.map(({ serviceName }) => serviceName),
    ...signs.jumps.map(({ saturation }) => saturation.serviceName),
  ]
  return [...new Set(names)]
    .filter((serviceName) => !known.has(serviceName))
    .map((serviceName) => {
      const own = signsOf(serviceName, signs)
      const surestFirst = [...own.habits, ...own.ways, ...own.jumps.map(({ saturation }) => saturation)]
      const onsets = surestFirst.map(({ onsetNs: each }) => each)
      const onsetNs = earliestTogether(onsets[0] ?? 0n, onsets)
      return { serviceName, votes: [], parts: [], shares: new Map(), ...own, onsetNs }
    })
}

function suspectOf(serviceName: string, votes: CastVote[], all: Map<Symptom, CastVote[]>): Suspect {
  const bySymptom = groupedBy(votes, ({ symptom }) => symptom)
  const shares = new Map(
    [...bySymptom].map(([symptom, own]) => [symptom, own.length / (all.get(symptom)?.length ?? 1)]),
  )
  return {
    ...{ serviceName, votes, parts: partsOf(votes), shares, onsetNs: onsetOf(serviceName, votes, shares) },
    ...signsOf(serviceName, NO_SIGNS),
  }
}

function partsOf(votes: CastVote[]): Part[] {
  const parts = groupedBy(votes, ({ place, by }) => `${by}\n${placeKey(place)}`)
  return [...parts.values()]
    .map((own) => ({ place: (own[0] as CastVote).place, by: (own[0] as CastVote).by, votes: own }))
    .toSorted((a, b) => b.votes.length - a.votes.length)
}

/** That of its own symptoms, else of whoever suffers from it: by errors where most of its bad requests failed, else by time. */
function onsetOf(serviceName: string, votes: CastVote[], shares: Map<Symptom, number>): bigint {
  const failed = votes.filter(({ by }) => by === 'error').length
  const kind = failed > votes.length / 2 ? 'errors' : 'latency'
  const telling = [...shares].filter(([, share]) => share >= SHARE_MIN).map(([symptom]) => symptom)
  const alike = firstNotEmpty(
    telling.filter((symptom) => symptom.kind === kind),
    telling,
  )
  const own = firstNotEmpty(
    alike.filter((symptom) => symptom.serviceName === serviceName),
    alike,
  )
  const onsets = own.toSorted((a, b) => a.pValue - b.pValue).map(({ onsetNs }) => onsetNs)
  return earliestTogether(onsets[0] ?? 0n, onsets)
}

function firstNotEmpty<T>(some: T[], others: T[]): T[] {
  return some.length > 0 ? some : others
}

function serviceAtFault(place: Place, delayed: Map<string, number>): string {
  if (place.at === 'inside') return place.serviceName
  if (place.at === 'call') return place.targetIsService ? place.targetName : place.serviceName
  const [caller, callee] = [delayed.get(place.serviceName) ?? 0, delayed.get(place.targetName) ?? 0]
  return caller > callee ? place.serviceName : place.targetName
}

/**
 * Of a slow way between two services, the end whose ways are slow for the most part is the one whose network is slow: a share
 * of all its ways that the call graph knows.
 */
function shareOfSlowWays(votes: CastVote[], edges: EdgeSeries[]): Map<string, number> {
  const slow = votes.filter(({ place }) => place.at === 'network')
  const ways = [...groupedBy(slow, ({ place }) => placeKey(place)).values()]
  const most = Math.max(0, ...ways.map(({ length }) => length))
  const counts = new Map<string, number>()
  for (const { place } of ways.filter(({ length }) => length >= WAY_SHARE_MIN * most).flatMap((way) => way.slice(0, 1)))
    for (const name of [place.serviceName, 'targetName' in place ? place.targetName : ''])
      counts.set(name, (counts.get(name) ?? 0) + 1)
  // On a tie the end with more slow ways.
  const weightOf = (name: string, count: number) => count / Math.max(count, waysOf(name, edges)) + count / 1000
  return new Map([...counts].map(([name, count]) => [name, weightOf(name, count)]))
}

function waysOf(serviceName: string, edges: EdgeSeries[]): number {
  return edges.filter(
    ({ sourceName, targetName, targetIsService, isMessage }) =>
      targetIsService && !isMessage && (sourceName === serviceName || targetName === serviceName),
  ).length
}
