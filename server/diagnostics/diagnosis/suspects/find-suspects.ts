import { groupedBy } from '../grouped-by.ts'
import type { Symptom } from '../symptoms/symptom.ts'
import { type Place, placeKey } from '../traces/place.ts'
import type { CastVote, Part, Suspect } from './suspect.ts'

/** With fewer votes, or a smaller share of every symptom, a service is named by chance. */
const VOTES_MIN = 3
const SHARE_MIN = 0.25
/** A way that far fewer requests name than the slowest one is slow by chance. */
const WAY_SHARE_MIN = 0.2

/** The services that bad requests name, most votes first. */
export function findSuspects(votes: CastVote[]): Suspect[] {
  const delayed = servicesOfDelays(votes)
  const byService = groupedBy(votes, ({ place }) => serviceAtFault(place, delayed))
  const counts = groupedBy(votes, ({ symptom }) => symptom)
  return [...byService]
    .map(([serviceName, own]) => suspectOf(serviceName, own, counts))
    .filter(({ votes: own, shares }) => own.length >= VOTES_MIN && Math.max(...shares.values()) >= SHARE_MIN)
    .toSorted((a, b) => b.votes.length - a.votes.length)
}

function suspectOf(serviceName: string, votes: CastVote[], all: Map<Symptom, CastVote[]>): Suspect {
  const bySymptom = groupedBy(votes, ({ symptom }) => symptom)
  const shares = new Map(
    [...bySymptom].map(([symptom, own]) => [symptom, own.length / (all.get(symptom)?.length ?? 1)]),
  )
  return { serviceName, votes, parts: partsOf(votes), shares, onsetNs: onsetOf(serviceName, shares) }
}

function partsOf(votes: CastVote[]): Part[] {
  const parts = groupedBy(votes, ({ place, by }) => `${by}\n${placeKey(place)}`)
  return [...parts.values()]
    .map((own) => ({ place: (own[0] as CastVote).place, by: (own[0] as CastVote).by, votes: own }))
    .toSorted((a, b) => b.votes.length - a.votes.length)
}

/** That of its own first symptom; where it has none, of whoever suffers from it. */
function onsetOf(serviceName: string, shares: Map<Symptom, number>): bigint {
  const telling = [...shares].filter(([, share]) => share >= SHARE_MIN).map(([symptom]) => symptom)
  const own = telling.filter((symptom) => symptom.serviceName === serviceName)
  const onsets = (own.length > 0 ? own : telling).map(({ onsetNs }) => onsetNs)
  return onsets.reduce((first, onsetNs) => (onsetNs < first ? onsetNs : first), onsets[0] ?? 0n)
}

function serviceAtFault(place: Place, delayed: Map<string, number>): string {
  if (place.at === 'inside') return place.serviceName
  if (place.at === 'call') return place.targetIsService ? place.targetName : place.serviceName
  const [caller, callee] = [delayed.get(place.serviceName) ?? 0, delayed.get(place.targetName) ?? 0]
  return caller > callee ? place.serviceName : place.targetName
}

/** Of a slow way between two services, the end that has more slow ways is the one whose network is slow. */
function servicesOfDelays(votes: CastVote[]): Map<string, number> {
  const ways = [
    ...groupedBy(
      votes.filter(({ place }) => place.at === 'network'),
      ({ place }) => placeKey(place),
    ).values(),
  ]
  const most = Math.max(0, ...ways.map(({ length }) => length))
  const counts = new Map<string, number>()
  for (const { place } of ways.filter(({ length }) => length >= WAY_SHARE_MIN * most).flatMap((way) => way.slice(0, 1)))
    for (const name of [place.serviceName, 'targetName' in place ? place.targetName : ''])
      counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
