import type { SpanRef } from '../emit/recorder.ts'
import type { Failure } from './disturbance.ts'
import type { Instance } from './instance.ts'

/** One request of one customer, wherever it goes. */
export interface Visit {
  customer: string
  /** What the `{id}` in paths and texts stands for. */
  id: string
  /** Undefined where nobody passed a trace on, so that whoever gets the request begins one. */
  parent: SpanRef | undefined
}

export interface Reply {
  endMs: number
  failure: Failure | undefined
}

/** Where a step runs. */
export interface Frame {
  instance: Instance
  operation: string
  visit: Visit
  span: SpanRef
}
