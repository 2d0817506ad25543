import type { PrivacyPlace } from '../../../domain/privacy-rule.ts'
import type { CompiledPolicy, PlacePlan } from '../../../privacy/compiled-policy.ts'
import type { Signal } from '../../ingest.ts'
import { BYTES, tagOf } from '../wire-reader.ts'

/** What is to be looked at in a field: a message inside, an attribute, a text, or a value of any kind. */
export type Field = { kind: 'message'; shape: Shape } | { kind: 'attribute' | 'text' | 'value'; plan: PlacePlan }

/** The fields of a message by their tags. Whatever is not named is not read by the decoder either, or holds no text of people. */
export type Shape = (Field | undefined)[]

/** Undefined where no rule looks at anything of the signal. */
export function requestShapes(policy: CompiledPolicy): Record<Signal, Shape | undefined> {
  const attribute = (place: PrivacyPlace) => looked('attribute', policy(place))
  const text = looked('text', policy('span-texts'))
  const ofSpan = attribute('span-attributes')
  const ofPoint = attribute('metric-attributes')
  const resource = message({ 1: attribute('resource-attributes') })
  const request = (record: Field | undefined) => shapeOf({ 1: message({ 1: resource, 2: message({ 2: record }) }) })
  const points = (field: number) => message({ 1: message({ [field]: ofPoint }) })
  return {
    traces: request(
      message({
        3: text,
        5: text,
        9: ofSpan,
        11: message({ 2: text, 3: ofSpan }),
        13: message({ 4: ofSpan }),
        15: message({ 2: text }),
      }),
    ),
    logs: request(
      message({
        5: looked('value', policy('log-bodies')),
        6: attribute('log-attributes'),
        12: looked('text', policy('log-bodies')),
      }),
    ),
    metrics: request(message({ 5: points(7), 7: points(7), 9: points(9), 10: points(1), 11: points(7) })),
  }
}

function looked(kind: 'attribute' | 'text' | 'value', plan: PlacePlan | undefined): Field | undefined {
  if (plan === undefined || (kind === 'text' && plan.texts.steps.length === 0)) return undefined
  return { kind, plan }
}

function message(fields: Record<number, Field | undefined>): Field | undefined {
  const shape = shapeOf(fields)
  return shape && { kind: 'message', shape }
}

function shapeOf(fields: Record<number, Field | undefined>): Shape | undefined {
  const shape: Shape = new Array(128).fill(undefined)
  for (const [number, field] of Object.entries(fields)) shape[tagOf(Number(number), BYTES)] = field
  return shape.some((field) => field !== undefined) ? shape : undefined
}
