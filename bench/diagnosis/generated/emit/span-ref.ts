import type { Instance } from '../world/instance.ts'
import type { Values } from './otlp-json.ts'

/** The numbers of OTLP. */
export const KIND = { INTERNAL: 1, SERVER: 2, CLIENT: 3, PRODUCER: 4, CONSUMER: 5 } as const

/** A span that has begun. */
export interface SpanRef {
  traceId: string
  spanId: string
  parentId: string
  isSampled: boolean
  kind: (typeof KIND)[keyof typeof KIND]
  name: string
  startMs: number
  instance: Instance
  attributes: Values
  events: { atMs: number; attributes: Values }[]
  link: SpanRef | undefined
}
