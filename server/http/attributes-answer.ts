import type { Attributes, AttributeValue } from '../domain/attributes.ts'

export type AnswerValue = string | number | boolean

/** Attributes as answers show them: flat, and never without a value. */
export function attributesAnswer(attributes: Attributes): Record<string, AnswerValue> {
  return Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, answerValue(value)]))
}

function answerValue(value: AttributeValue): AnswerValue {
  if (value === null) return ''
  if (typeof value === 'object') return JSON.stringify(value)
  // JSON has no word for NaN and the infinities.
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}
