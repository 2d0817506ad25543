import type { CallGaps } from '../../diagnostics-reader.ts'
import { AnsweredCalls } from './answered-calls.ts'
import type { DrawnSpans } from './drawn-spans.ts'
import type { SpansBelow } from './spans-below.ts'

/** The gaps of all ways are one piece of memory: as many pieces they would cost far more to hand to another thread. */
export function callGaps(drawn: DrawnSpans, below: SpansBelow, perMinute: number): CallGaps[] {
  const { minuteCount } = drawn
  const answered = new AnsweredCalls(drawn, below)
  const { sorted, starts } = byWayAndMinute(answered, drawn)
  const gapsNs = new Float64Array(countUpTo(perMinute, starts))
  const minutes = new Uint32Array(gapsNs.length)
  let size = 0
  return Array.from({ length: answered.ways.size }, (_, way) => {
    const [from, firstCell] = [size, way * minuteCount]
    let lastCell = firstCell
    for (let minute = 0; minute < minuteCount; minute++) {
      const cell = firstCell + minute
      if (starts[cell] === starts[cell + 1]) continue
      const first = size
      const own = sorted.subarray(starts[cell], starts[cell + 1])
      for (const answer of drawnByLot(own, perMinute, answered, drawn))
        gapsNs[size++] = answered.gapNs[answer] as number
      gapsNs.subarray(first, size).sort()
      minutes.fill(minute, first, size)
      lastCell = cell
    }
    const newest = sorted.subarray(starts[Math.max(firstCell, lastCell - 1)], starts[lastCell + 1])
    return {
      sourceName: drawn.names.text(answered.ways.key(way, 0)),
      targetName: drawn.names.text(answered.ways.key(way, 1)),
      gapsNs: gapsNs.subarray(from, size),
      minutes: minutes.subarray(from, size),
      traceId: drawn.traceIdOf(longestOf(newest, answered, drawn)),
    }
  })
}

/** Answers by cell, which is a minute of a way: those of a cell begin at its start and end where those of the next one begin. */
function byWayAndMinute({ size, ways, way, call }: AnsweredCalls, { minute, minuteCount }: DrawnSpans) {
  const cellOf = (answer: number) => (way[answer] as number) * minuteCount + (minute[call[answer] as number] as number)
  // What is counted for a cell is first where it ends, and then, less all that is in it, where it begins.
  const starts = new Uint32Array(ways.size * minuteCount + 1)
  for (let answer = 0; answer < size; answer++) starts[cellOf(answer)] = (starts[cellOf(answer)] as number) + 1
  for (let cell = 1; cell < starts.length; cell++)
    starts[cell] = (starts[cell] as number) + (starts[cell - 1] as number)
  const sorted = new Uint32Array(size)
  for (let answer = 0; answer < size; answer++) {
    const cell = cellOf(answer)
    const place = (starts[cell] as number) - 1
    starts[cell] = place
    sorted[place] = answer
  }
  return { sorted, starts }
}

function countUpTo(perCell: number, starts: Uint32Array): number {
  let count = 0
  for (let cell = 1; cell < starts.length; cell++)
    count += Math.min(perCell, (starts[cell] as number) - (starts[cell - 1] as number))
  return count
}

/** At most so many: always the same ones, and as if by chance. */
function drawnByLot(answers: Uint32Array, limit: number, { call }: AnsweredCalls, drawn: DrawnSpans): Uint32Array {
  if (answers.length <= limit) return answers
  const lots = answers.map((answer) => lotOf(drawn, call[answer] as number))
  const highest = lots.toSorted()[limit - 1] as number
  let ties = limit - lots.filter((lot) => lot < highest).length
  return answers.filter((_, i) => (lots[i] as number) < highest || (lots[i] === highest && ties-- > 0))
}

/** The same for a call wherever it lies. */
function lotOf({ traces, trace, durationNs }: DrawnSpans, call: number): number {
  const word = traces.key(trace[call] as number, 3) ^ traces.key(trace[call] as number, 2)
  return Math.imul(word ^ ((durationNs[call] as number) | 0), 0x9e3779b1) >>> 0
}

/** The call that lost the most; of several, that of the first trace by name. */
function longestOf(answers: Uint32Array, { call, gapNs }: AnsweredCalls, drawn: DrawnSpans): number {
  let [longest, longestNs] = [-1, -1]
  for (const answer of answers) {
    const [own, ns] = [call[answer] as number, gapNs[answer] as number]
    if (ns < longestNs || (ns === longestNs && !drawn.isBefore(own, longest))) continue
    longest = own
    longestNs = ns
  }
  return longest
}
