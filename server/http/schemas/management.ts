import Type, { type TSchema } from 'typebox'
import {
  datetimeIn,
  datetimeOut,
  dictionary,
  fields,
  gridId,
  integer,
  name,
  orNull,
  role,
  scope,
  subscriptionState,
} from './values.ts'

const DAYS_MAX = 3650
const REQUESTS_PER_MINUTE_MAX = 10_000_000
const APDEX_MS_MAX = 3_600_000

export function listOf<S extends TSchema>(item: S) {
  return fields({ items: Type.Array(item), totalCount: Type.Integer() })
}

const subscription = fields({ plan: name('The plan, by name.', 100), state: subscriptionState })

const retentionDays = {
  rawDays: integer('For how many days spans, logs and metric points are kept.', 1, DAYS_MAX),
  aggregateDays: integer('For how many days aggregates are kept.', 1, DAYS_MAX),
}

const diskSharePercent = orNull(
  Type.Number({
    description:
      'How much the Grid may take of what the server may take of the disk, in percent; where it takes more, its oldest hours are removed first. Null for no limit of its own.',
    exclusiveMinimum: 0,
    maximum: 100,
  }),
)

const retention = fields({ ...retentionDays, diskSharePercent })
const newRetention = fields({ ...retentionDays, diskSharePercent: Type.Optional(diskSharePercent) })

const requestsPerMinute = (whose: string) =>
  orNull(integer(`Requests a minute ${whose}; null for the default.`, 1, REQUESTS_PER_MINUTE_MAX))

const limits = fields({
  requestsPerMinuteCaller: requestsPerMinute('of one caller'),
  requestsPerMinuteGrid: requestsPerMinute('of all callers'),
  recordsPerSecond: orNull(integer('Records a second that may be sent; null for no limit.', 1)),
})

const apdexMs = integer('T of the Apdex formula, in milliseconds.', 1, APDEX_MS_MAX)

const apdex = fields({
  defaultMs: apdexMs,
  services: dictionary(apdexMs, { description: 'Services with a T of their own.', maxProperties: 1000 }),
})

export const gridSettings = { subscription, retention: newRetention, limits, apdex }

export const grid = fields({
  gridSecondaryId: gridId,
  name: Type.String(),
  role,
  createdAt: datetimeOut(),
  subscription,
  retention,
  limits,
  apdex,
})

export const gridUsage = fields({
  bytes: Type.Integer({ description: 'What the Grid takes of the disk.' }),
  budgetBytes: orNull(Type.Integer({ description: 'What it may take; null for no limit of its own.' })),
  serverBudgetBytes: Type.Integer({ description: 'What all Grids together may take.' }),
  rawSince: orNull(datetimeOut('The first hour whose spans, logs and metric points are kept.')),
  aggregatesSince: orNull(datetimeOut('The first hour whose aggregates are kept.')),
})

const gridNameField = name('What people call it.')

export const gridName = fields({ name: gridNameField })

export const newGrid = fields({
  name: gridNameField,
  gridSecondaryId: Type.Optional(
    Type.String({
      description: 'A UUID of your choice; by default one is made.',
      pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
      'x-accepts': 'a UUID',
    }),
  ),
})

const keyFields = {
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String({ description: 'The first characters of the secret.' }),
  role,
  scopes: Type.Array(scope),
  createdAt: datetimeOut(),
  expiresAt: orNull(datetimeOut()),
  revokedAt: orNull(datetimeOut()),
}

const secret = Type.String({ description: 'Shown this once and never again.' })

export const key = fields(keyFields)
export const keyWithSecret = fields({ ...keyFields, secret })

export const newKey = fields({
  name: name('What it is for.'),
  role,
  scopes: Type.Array(scope, { description: 'At least one.', minItems: 1, maxItems: 3, uniqueItems: true }),
  expiresAt: Type.Optional(orNull(datetimeIn('When it stops working; null or absent for never.'))),
})

export const keyId = name('A key, by its id.')

export const member = fields({ subject: Type.String(), role, createdAt: datetimeOut() })
export const memberSubject = name(
  "A user's or a client's id, a subject of another provider, or an e-mail address.",
  320,
)
export const memberRole = fields({ role })

export const user = fields({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  admin: Type.Boolean(),
  createdAt: datetimeOut(),
})

export const userId = name('A user, by id.')

const admin = Type.Optional(Type.Boolean({ description: 'A platform administrator; by default not.' }))

export const newUser = fields({
  email: Type.String({ maxLength: 254, pattern: '^[^\\s@]+@[^\\s@]+$', 'x-accepts': 'an e-mail address' }),
  name: name('What people call the user.'),
  password: Type.String({ minLength: 10, maxLength: 1000 }),
  admin,
})

const clientFields = { id: Type.String(), name: Type.String(), admin: Type.Boolean(), createdAt: datetimeOut() }

export const client = fields(clientFields)
export const clientWithSecret = fields({ ...clientFields, secret })
export const clientId = name('A client, by id.')
export const newClient = fields({ name: name('What it is.'), admin })
