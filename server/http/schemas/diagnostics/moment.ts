import Type from 'typebox'
import { datetimeIn, integer } from '../values.ts'

/** The moment and the window that a question of Diagnostics is about. */
export const momentQuery = {
  at: Type.Optional(datetimeIn('Answers as of this moment, which is not in the future; by default now.')),
  window: Type.Optional(integer('How many minutes before it count; by default 15.', 1, 1440)),
}
