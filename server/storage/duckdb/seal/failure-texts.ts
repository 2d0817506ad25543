import type { Attributes, AttributeValue } from '../../../domain/attributes.ts'
import { FAILURE_ATTRIBUTES, type RecordedException, type Told, toldBy } from '../../../domain/failures.ts'

const PATHS = FAILURE_ATTRIBUTES.map((key) => `'/${key}'`).join(', ')

/**
 * What is looked at of a failed span's attributes and events: the values of what tells of a failure, in their order, and
 * the exceptions in theirs. Texts that are no JSON tell nothing.
 */
export const FAILURE_TEXTS = `coalesce(to_json(TRY(json_extract(nullif(s.attributes, ''), [${PATHS}])))::VARCHAR, '') AS attributes,
  CASE WHEN contains(s.events, 'exception') THEN coalesce(nullif(to_json(list_transform(list_sort(list_transform(
    list_filter(TRY(CAST(s.events AS JSON[])), lambda e: e->>'name' = 'exception'),
    lambda e, i: {'at': TRY_CAST(e->>'timeUnixNano' AS HUGEINT), 'place': i, 'event': e})),
    lambda x: json_object('type', json_extract(x.event, '/attributes/exception.type'),
      'message', json_extract(x.event, '/attributes/exception.message'))))::VARCHAR, 'null'), '') ELSE '' END AS exceptions`

export interface FailureTexts {
  statusMessage: string
  attributes: string
  exceptions: string
}

export function toldInTexts({ statusMessage, attributes, exceptions }: FailureTexts): Told {
  return toldBy(statusMessage, attributesOf(attributes), exceptionsOf(exceptions))
}

function attributesOf(json: string): Attributes {
  const values = json === '' ? [] : (JSON.parse(json) as (AttributeValue | null)[])
  return Object.fromEntries(
    values.flatMap((value, i) => (value === null ? [] : [[FAILURE_ATTRIBUTES[i] as string, value]])),
  )
}

function exceptionsOf(json: string): RecordedException[] {
  if (json === '') return []
  const exceptions = JSON.parse(json) as { type: AttributeValue | null; message: AttributeValue | null }[]
  return exceptions.map(({ type, message }) => ({ type: type ?? undefined, message: message ?? undefined }))
}
