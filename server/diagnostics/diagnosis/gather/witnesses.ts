import type { Span } from '../../../domain/span.ts'
import type { DiagnosticsReader } from '../../../storage/diagnostics-reader.ts'
import type { Charge } from '../answer/charge.ts'
import type { Witnesses } from '../facts.ts'
import type { BrokenHabit } from '../habits/habit.ts'
import { isReport } from '../habits/with-mentions.ts'
import { type MinuteAxis, windowOf } from '../series/minute-axis.ts'
import { nodeOf, type SpanNode, spanForest } from '../traces/span-forest.ts'

const SPANS_MAX = 150
const TRACE_SPANS_MAX = 10_000
const CHARGES_MAX = 3

/** Spans that broke a habit, and others that kept it: for the first charges about which no bad requests are known. */
export async function gatherWitnesses(
  reader: DiagnosticsReader,
  axis: MinuteAxis,
  charges: Charge[],
): Promise<Map<string, Witnesses>> {
  const suspects = charges.map(({ inquiry }) => inquiry.suspect).filter(({ votes }) => votes.length === 0)
  const asked = suspects.slice(0, CHARGES_MAX).map(async (suspect): Promise<[string, Witnesses][]> => {
    const habit = mostTelling(suspect.habits, suspect.serviceName)
    return habit ? [[suspect.serviceName, await witnessesOf(reader, axis, habit)]] : []
  })
  return new Map((await Promise.all(asked)).flat())
}

/** What is newly reported tells more than what is left out, which may have other reasons in some spans. */
function mostTelling(habits: BrokenHabit[], serviceName: string): BrokenHabit | undefined {
  const own = habits.filter((habit) => habit.serviceName === serviceName && habit.operationName !== '')
  return own.find(isReport) ?? own[0]
}

async function witnessesOf(reader: DiagnosticsReader, axis: MinuteAxis, habit: BrokenHabit): Promise<Witnesses> {
  const { serviceName, operationName, episode } = habit
  const window = windowOf(axis, episode)
  const spans = await reader.sampleSpans(window, { serviceName, operationName }, SPANS_MAX)
  const traceIds = [...new Set(spans.map(({ traceId }) => traceId))]
  const traceSpans = traceIds.length === 0 ? [] : await reader.spansOfTraces(traceIds, window, TRACE_SPANS_MAX)
  const forest = spanForest(traceSpans)
  const broke = new Map(spans.map((span) => [span, isBrokenBy(habit, span, nodeOf(forest, span))]))
  const those = (verdict: boolean) => spans.filter((span) => broke.get(span) === verdict)
  return { broken: those(true), kept: those(false), forest }
}

function isBrokenBy(habit: BrokenHabit, { kind, traceId, spanId, serviceName }: Span, node: SpanNode | undefined) {
  // A call has no steps of its own that habits are about.
  if (node === undefined || kind === 'CLIENT' || kind === 'PRODUCER') return undefined
  const below = node.children.filter((child) => child.span.serviceName === serviceName)
  return habit.isBrokenBy({ traceId, spanId, steps: new Set(below.map(({ span }) => span.operationName)) })
}
