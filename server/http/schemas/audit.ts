import Type from 'typebox'
import { pageOf } from './paging.ts'
import { datetimeOut, dictionary, fields, orNull } from './values.ts'

export const auditEntry = fields({
  id: Type.String(),
  at: datetimeOut(),
  gridSecondaryId: orNull(Type.String({ description: 'Null for what concerns no single Grid.' })),
  caller: Type.String({ description: 'A key, a user or a client, by id.', examples: ['key:0f4a…'] }),
  action: Type.String({ examples: ['Change an alert rule'] }),
  target: dictionary(Type.String(), { description: 'What it was done to.' }),
  change: Type.String({ description: 'What was sent, as JSON, without secrets; cut after 4,000 characters.' }),
})

export const auditPage = pageOf(auditEntry, { items: 'Newest first.' })
