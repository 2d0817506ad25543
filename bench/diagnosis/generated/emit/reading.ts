import type { Values } from './otlp-json.ts'

/** What an instance measures of itself at one moment. */
export interface Reading {
  name: string
  unit: string
  value: number
  attributes?: Values
}
