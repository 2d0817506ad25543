import type { CallGaps } from '../../diagnostics-reader.ts'
import { AnsweredCalls } from './answered-calls.ts'
import type { DrawnSpans } from './drawn-spans.ts'
import type { SpansBelow } from './spans-below.ts'

/** The gaps of all ways are one piece of memory: as many pieces they would cost far more to hand to another thread. */
export function callGaps(drawn: DrawnSpans, below: SpansBelow, perMinute: number): CallGaps[] {
  const { minuteCount } = drawn
  const answered = new AnsweredCalls(drawn, below)
  const cells = byWayAndMinute(answered, drawn)
  const { sorted, starts } = cells
  const gapsNs = new Float64Array(countUpTo(perMinute, starts))
  const minutes = new Uint32Array(gapsNs.length)
  const traceIds = drawn.traceIdsOf(longestCalls(answered, cells, drawn))
  let size = 0
  return traceIds.map((traceId, way) => {
    const from = size
    for (let minute = 0; minute < minuteCount; minute++) {
      const start = starts[way * minuteCount + minute] as number
      const end = starts[way * minuteCount + minute + 1] as number
      const first = size
      const lots = end - start > perMinute ? lotsOf(sorted.subarray(start, end), answered, drawn) : undefined
      const highest = lots?.toSorted()[perMinute - 1] as number
      for (let i = start; i < end && size - first < perMinute; i++)
        if (!lots || (lots[i - start] as number) <= highest)
          gapsNs[size++] = answered.gapNs[sorted[i] as number] as number
      if (size - first > 1) gapsNs.subarray(first, size).sort()
      minutes.fill(minute, first, size)
    }
    return {
      sourceName: drawn.names.text(answered.ways.key(way, 0)),
      targetName: drawn.names.text(answered.ways.key(way, 1)),
      gapsNs: gapsNs.subarray(from, size),
      minutes: minutes.subarray(from, size),
      traceId,
    }
  })
}

interface Cells {
  sorted: Uint32Array
  starts: Uint32Array
}

/** Answers by cell, which is a minute of a way: those of a cell begin at its start and end where those of the next one begin. */
function byWayAndMinute({ size, ways, way, call }: AnsweredCalls, { minute, minuteCount }: DrawnSpans): Cells {
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

/** Always the same, and as if by chance: those with the lowest ones are drawn. */
function lotsOf(answers: Uint32Array, { call }: AnsweredCalls, drawn: DrawnSpans): Uint32Array {
  return answers.map((answer) => lotOf(drawn, call[answer] as number))
}

/** The same for a call wherever it lies. */
function lotOf({ traces, trace, durationNs }: DrawnSpans, call: number): number {
  const word = traces.key(trace[call] as number, 3) ^ traces.key(trace[call] as number, 2)
  return Math.imul(word ^ ((durationNs[call] as number) | 0), 0x9e3779b1) >>> 0
}

/** By way: the call of its last two minutes that lost the most; of several, that of the first trace by name. */
function longestCalls({ ways, call, gapNs }: AnsweredCalls, { sorted, starts }: Cells, drawn: DrawnSpans): Int32Array {
  const calls = new Int32Array(ways.size)
  for (let way = 0; way < ways.size; way++) {
    const firstCell = way * drawn.minuteCount
    let lastCell = firstCell + drawn.minuteCount - 1
    while (starts[lastCell] === starts[lastCell + 1]) lastCell--
    let longestNs = -1
    const end = starts[lastCell + 1] as number
    for (let i = starts[Math.max(firstCell, lastCell - 1)] as number; i < end; i++) {
      const [own, ns] = [call[sorted[i] as number] as number, gapNs[sorted[i] as number] as number]
      if (ns < longestNs || (ns === longestNs && !drawn.isBefore(own, calls[way] as number))) continue
      calls[way] = own
      longestNs = ns
    }
  }
  return calls
}
