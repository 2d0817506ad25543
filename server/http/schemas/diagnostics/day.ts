import Type from 'typebox'
import { integer } from '../values.ts'
import { momentQuery } from './moment.ts'

export const DAY_MINUTES = 1440

/** The moment and the window of questions about what happened lately. */
export const dayQuery = {
  at: momentQuery.at,
  window: Type.Optional(
    integer('How many minutes before it count; by default 1440, which is 24 hours.', 1, DAY_MINUTES),
  ),
}
