import type { Episode } from '../series/minute-axis.ts'

const EPISODES_MAX = 3

/**
 * Every stretch in which a series was disturbed, strongest found first and then in what remains, so that an earlier incident
 * neither counts as calm nor hides a later one. Neighbours are one. Ascending.
 */
export function disturbances<E extends Episode>(
  length: number,
  strongest: (isLeft: (minute: number) => boolean) => E | undefined,
): Episode[] {
  const taken = new Array<boolean>(length).fill(false)
  for (let found = 0; found < EPISODES_MAX; found++) {
    const episode = strongest((minute) => !taken[minute])
    if (episode === undefined) break
    taken.fill(true, episode.from, episode.to)
  }
  return stretchesOf(taken)
}

function stretchesOf(taken: boolean[]): Episode[] {
  const stretches: Episode[] = []
  for (const [minute, isTaken] of taken.entries()) {
    if (!isTaken) continue
    const last = stretches.at(-1)
    // One calm minute between two disturbed ones is chance more often than recovery.
    if (last && minute - last.to <= 1) last.to = minute + 1
    else stretches.push({ from: minute, to: minute + 1 })
  }
  return stretches
}

/** The minutes outside of all episodes; the one after an episode may still have its echo. */
export function calmMinutes(length: number, episodes: Episode[]): number[] {
  const minutes = Array.from({ length }, (_, minute) => minute)
  return minutes.filter((minute) => episodes.every(({ from, to }) => minute < from || minute > to))
}
