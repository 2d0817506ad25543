import type { Details } from '../facts.ts'
import { nodeOf, type SpanForest, type SpanNode } from '../traces/span-forest.ts'
import { usualTimes } from '../traces/time-by-place.ts'
import { voteOf } from '../traces/vote.ts'
import { type CastVote, operationKey } from './suspect.ts'

const PATH_MAX = 1000

/** Every bad request that was looked at names where its trouble began, compared with calm requests of the same kind. */
export function castVotes(
  { samples, forest, origins }: Pick<Details, 'samples' | 'forest' | 'origins'>,
  services: ReadonlySet<string>,
): CastVote[] {
  return samples.flatMap(({ symptom, bad, calm }) => {
    const usual = usualTimes(nodesOf(forest, calm), services)
    return nodesOf(forest, bad).flatMap((request) => {
      const vote = voteOf(request, { usual, services, origins })
      return vote ? [{ ...vote, symptom, path: pathTo(nodeOf(forest, vote.origin) ?? request) }] : []
    })
  })
}

function pathTo(origin: SpanNode): string[] {
  const path: string[] = []
  // A trace cannot be deeper than this and be meant so; spans may name each other as parents in a circle.
  for (let node: SpanNode | undefined = origin; node !== undefined && path.length < PATH_MAX; node = node.parent)
    path.push(operationKey(node.span.serviceName, node.span.operationName))
  return path
}

function nodesOf(forest: SpanForest, spans: { traceId: string; spanId: string }[]): SpanNode[] {
  return spans.flatMap((span) => nodeOf(forest, span) ?? [])
}
