import type { Span, TraceSpan } from '../../../domain/span.ts'
import type { DiagnosticsReader } from '../../../storage/diagnostics-reader.ts'
import type { Details } from '../facts.ts'
import { castVotes } from '../suspects/cast-votes.ts'
import { errorOrigin } from '../traces/error-origin.ts'
import { isOwnName } from '../traces/own-name.ts'
import { nodeOf } from '../traces/span-forest.ts'
import { WholeSpans } from '../traces/whole-spans.ts'
import { readWhole } from './read-whole.ts'

/** What bad requests say, and what says why: of errors it is where they began, of time what was called, unless its name tells already. */
export async function gatherVotes(
  reader: DiagnosticsReader,
  { samples, forest }: Pick<Details, 'samples' | 'forest'>,
  services: ReadonlySet<string>,
): Promise<Pick<Details, 'votes' | 'origins'>> {
  const bad = samples.flatMap((sample) => sample.bad)
  const nodes = bad.flatMap((span) => nodeOf(forest, span) ?? [])
  const failed = nodes.filter(({ span }) => span.status === 'ERROR').map((node) => errorOrigin(node).span)
  const known = await andWhole(reader, bad, failed)
  const votes = castVotes({ samples, forest, origins: new WholeSpans(known) }, services)
  const called = votes.filter(({ place }) => place.at === 'call' && isOwnName(place.targetName))
  const all = await andWhole(
    reader,
    known,
    called.map(({ origin }) => origin),
  )
  return { votes, origins: new WholeSpans(all) }
}

async function andWhole(reader: DiagnosticsReader, known: Span[], wanted: TraceSpan[]): Promise<Span[]> {
  const whole = new WholeSpans(known)
  const missing = [...new Set(wanted)].filter((span) => whole.find(span) === undefined)
  return [...known, ...(await readWhole(reader, missing))]
}
