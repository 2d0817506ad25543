import Type from 'typebox'
import { datetimeOut, dictionary, fields, integer, orNull } from './values.ts'

export const auditEntry = fields({
  id: Type.String(),
  at: datetimeOut(),
  gridSecondaryId: orNull(Type.String({ description: 'Null for what concerns no single Grid.' })),
  caller: Type.String({ description: 'A key, a user or a client, by id.', examples: ['key:0f4a…'] }),
  action: Type.String({ examples: ['Change an alert rule'] }),
  target: dictionary(Type.String(), { description: 'What it was done to.' }),
  change: Type.String({ description: 'What was sent, as JSON, without secrets; cut after 4,000 characters.' }),
})

export const auditPage = fields({
  items: Type.Array(auditEntry, { description: 'Newest first.' }),
  totalCount: Type.Integer(),
  page: Type.Integer(),
  pageSize: Type.Integer(),
})

export const auditQuery = {
  page: Type.Optional(integer('By default 1.', 1)),
  pageSize: Type.Optional(integer('By default 20.', 1, 100)),
}
