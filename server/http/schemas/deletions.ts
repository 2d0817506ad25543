import Type from 'typebox'
import { DELETION_LIMITS, DELETION_STATES } from '../../control/deletion-store.ts'
import { DELETABLE_SIGNALS } from '../../domain/record-match.ts'
import { pageOf } from './paging.ts'
import { datetimeOut, fields, name, orNull, text } from './values.ts'

const signals = Type.Array(Type.Enum(DELETABLE_SIGNALS), {
  description: 'In which telemetry records are looked for; by default in all.',
  minItems: 1,
  maxItems: DELETABLE_SIGNALS.length,
  uniqueItems: true,
})

const attribute = name('The key of the attribute.', DELETION_LIMITS.attributeCharsMax)

export const newDeletion = fields({
  attribute,
  value: text('The value, as text: `42`, `true`, `ann@example.com`.', DELETION_LIMITS.valueCharsMax),
  signals: Type.Optional(signals),
})

export const deletion = fields({
  id: Type.String(),
  attribute,
  signals,
  state: Type.Enum(DELETION_STATES),
  requestedBy: Type.String(),
  createdAt: datetimeOut(),
  startedAt: orNull(datetimeOut()),
  finishedAt: orNull(datetimeOut()),
  hoursDone: Type.Integer({ description: 'Hours of telemetry that were looked through.' }),
  hoursTotal: orNull(Type.Integer({ description: 'Of so many; null where it was not begun.' })),
  deleted: fields({
    spans: Type.Integer(),
    logRecords: Type.Integer(),
    metricPoints: Type.Integer(),
  }),
  error: Type.String({
    description: 'Why it could not go on when it was last tried; empty where it could. It is tried again.',
  }),
})

export const deletionPage = pageOf(deletion, { items: 'Newest first.' })
export const deletionId = name('A deletion, by its id.')
