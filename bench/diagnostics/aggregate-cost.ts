import { runCompiled } from '../run-compiled.ts'

export interface AggregateCostOptions {
  /** Where to write; the caller removes it. */
  folder: string
  gridId: string
  /** Each sealed by itself, before the next is written. */
  openFiles: number
}

/** Processor time in µs a span. */
export interface AggregateCost {
  decodingUs: number
  writingUs: number
  /** Aggregates included. */
  sealingUs: number
  aggregatesUs: number
  /** What the aggregates' statements cost, dearest first. */
  statements: { name: string; us: number }[]
}

/** The way of spans into the store and its hour files, one step after another, so that each can be measured. */
export function measureAggregateCost(options: AggregateCostOptions): Promise<AggregateCost> {
  return runCompiled('diagnostics/aggregate-cost-process.js', options)
}
