import type { Attributes } from '@opentelemetry/api'

/** One number with its attributes. */
export interface Reading {
  name: string
  unit: string
  type: 'gauge' | 'counter' | 'updown'
  value: number
  attributes?: Attributes
}
