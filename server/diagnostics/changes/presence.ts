/** One instance, version or configuration of a service for as long as it is there. Times are minutes. */
export interface Stay {
  first: number
  last: number
  /** How much of the service's work it did lately, older work counting less: `own` of `all`. */
  own: number
  all: number
  /** In how many minutes of the service in a row, up to its last one, it was seen. */
  streak: number
  /** What the service did since then, without it. */
  missedMinutes: number
  missedWork: number
}

/** By name. */
export type Stays = Map<string, Stay>

export interface Absence {
  /** Nothing is gone before it was silent for longer than this. */
  silentMinutes: number
  /** Whether one that was seen in every minute is gone without further proof once it is silent. */
  trustsStreaks: boolean
}

const FADING = 0.95
const STREAK_MAX = 15
/** With so much of its usual share of the work done by others, chance left it out once in twenty thousand times. */
const MISSED_SHARE = 10

/** Takes in what was seen in a minute of the service; returns the names of those that were not there before. */
export function seeMinute(stays: Stays, minute: number, work: Map<string, number>): string[] {
  const all = [...work.values()].reduce((sum, each) => sum + each, 0)
  for (const [name, stay] of stays) {
    if (work.has(name)) continue
    stay.missedMinutes++
    stay.missedWork += all
  }
  const arrived = [...work.keys()].filter((name) => !stays.has(name))
  for (const [name, own] of work) stays.set(name, seenAgain(stays.get(name), { minute, own, all }))
  return arrived
}

function seenAgain(stay: Stay | undefined, { minute, own, all }: { minute: number; own: number; all: number }): Stay {
  const fresh = { last: minute, missedMinutes: 0, missedWork: 0 }
  if (stay === undefined) return { first: minute, own, all, streak: 1, ...fresh }
  const faded = FADING ** (stay.missedMinutes + 1)
  return {
    first: stay.first,
    own: rounded(stay.own * faded + own),
    all: rounded(stay.all * faded + stay.missedWork + all),
    streak: stay.missedMinutes > 0 ? 1 : Math.min(STREAK_MAX, stay.streak + 1),
    ...fresh,
  }
}

/** Removes and returns those that are no longer there: silent, while the service did too much without them for it to be chance. */
export function takeGone(stays: Stays, minute: number, absence: Absence): [string, Stay][] {
  const gone = [...stays].filter(([, stay]) => isGone(stay, minute, absence))
  for (const [name] of gone) stays.delete(name)
  return gone
}

function isGone(stay: Stay, minute: number, { silentMinutes, trustsStreaks }: Absence): boolean {
  if (minute - stay.last <= silentMinutes) return false
  const missedByHabit = trustsStreaks && stay.streak >= STREAK_MAX && stay.missedMinutes >= silentMinutes
  return missedByHabit || missedShare(stay) >= MISSED_SHARE
}

/** Silent for a while, and surely not by chance: it may be about to go. */
export function isQuiet(stay: Stay): boolean {
  return stay.missedMinutes >= 1 && missedShare(stay) >= MISSED_SHARE
}

function missedShare({ own, all, missedWork }: Stay): number {
  return missedWork * (own / all)
}

/** The one that does most of the work now. */
export function mainOf(stays: Stays): string | undefined {
  const active = [...stays].filter(([, stay]) => stay.missedMinutes <= 1)
  const [main] = (active.length > 0 ? active : [...stays]).sort(([, a], [, b]) => b.own - a.own)
  return main?.[0]
}

/** Forgets those that were not seen for longest, beyond so many. */
export function keepLatest(stays: Map<string, { last: number }>, max: number): void {
  if (stays.size <= max) return
  const oldestFirst = [...stays].sort(([, a], [, b]) => a.last - b.last)
  for (const [name] of oldestFirst.slice(0, stays.size - max)) stays.delete(name)
}

/** A few digits are enough, and keep what is remembered small. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}
