import type { Diagnosis } from '../diagnostics/diagnosis/diagnosis.ts'

export type Diagnose = (gridId: string, atMs: number) => Promise<Diagnosis[]>

const KEPT_MAX = 32

/** Asks once for one Grid and moment, however many channels wait for it; none where that takes too long or fails. */
export function createRecentDiagnoses(diagnose: Diagnose, timeoutMs: number): Diagnose {
  const asked = new Map<string, Promise<Diagnosis[]>>()

  return (gridId, atMs) => {
    const key = `${gridId} ${atMs}`
    const known = asked.get(key)
    if (known) return known
    const answer = withinTime(diagnose(gridId, atMs), timeoutMs)
    asked.set(key, answer)
    const oldest = asked.size > KEPT_MAX ? asked.keys().next().value : undefined
    if (oldest !== undefined) asked.delete(oldest)
    return answer
  }
}

async function withinTime(work: Promise<Diagnosis[]>, timeoutMs: number): Promise<Diagnosis[]> {
  const late = new Promise<Diagnosis[]>((resolve) => setTimeout(resolve, timeoutMs, []).unref())
  return Promise.race([work.catch(() => []), late])
}
