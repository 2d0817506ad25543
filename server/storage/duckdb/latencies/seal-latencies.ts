import type { Session } from '../engine/session.ts'
import { GroupSums } from '../live/group-sums.ts'
import { kindOfWord, minuteOfWord, roleOfWord } from '../live/live-hour.ts'
import type { PlaceNumbers } from '../seal/place-numbers.ts'
import { LatencyWriter } from './latency-writer.ts'

/** Adds how long the requests of an open file took to its hour, within the caller's transaction. */
export async function sealLatencies(
  session: Session,
  alias: string,
  latencies: GroupSums,
  { names }: PlaceNumbers,
): Promise<void> {
  const writer = new LatencyWriter()
  /** The last group of each minute of a series, and before each group another one of it: by number and one, 0 for none. */
  const last = new GroupSums(1)
  const before = new Uint32Array(latencies.size)
  for (let group = 0; group < latencies.size; group++) {
    const at = last.at(latencies.key(group, 0), latencies.key(group, 1), latencies.key(group, 2), 0, 0)
    before[group] = last.sums[at] as number
    last.sums[at] = group + 1
  }
  for (let i = 0; i < last.size; i++) {
    const [word, service, operation] = [last.key(i, 0), names[last.key(i, 1)], names[last.key(i, 2)]]
    writer.begin(service as number, operation as number, kindOfWord(word), roleOfWord(word), minuteOfWord(word))
    for (let group = last.sum(i, 0); group !== 0; group = before[group - 1] as number)
      writer.add(latencies.key(group - 1, 3), latencies.sum(group - 1, 0))
  }
  await writer.append(session, alias)
}
