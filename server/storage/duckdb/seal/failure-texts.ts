import type { Attributes, AttributeValue } from '../../../domain/attributes.ts'
import { FAILURE_ATTRIBUTES, type RecordedException, type Told, toldBy } from '../../../domain/failures.ts'
import { type MarkedMessage, markedMessage } from '../../../domain/message-template.ts'

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

/** What many failed spans tell: most have attributes that others had, and a status message that is the exception's too. */
export class ToldInTexts {
  private readonly attributes = new Map<string, Attributes>()
  private readonly messages = new Map<string, MarkedMessage>()

  of({ statusMessage, attributes, exceptions }: FailureTexts): Told {
    const known = remembered(this.attributes, attributes, attributesOf)
    return toldBy(statusMessage, known, exceptionsOf(exceptions), (message) =>
      remembered(this.messages, message, markedMessage),
    )
  }
}

function remembered<T>(known: Map<string, T>, text: string, make: (text: string) => T): T {
  const found = known.get(text)
  if (found !== undefined) return found
  const made = make(text)
  known.set(text, made)
  return made
}

function attributesOf(json: string): Attributes {
  const values = json === '' ? [] : (JSON.parse(json) as (AttributeValue | null)[])
  const attributes: Attributes = {}
  values.forEach((value, i) => {
    if (value !== null) attributes[FAILURE_ATTRIBUTES[i] as string] = value
  })
  return attributes
}

function exceptionsOf(json: string): RecordedException[] {
  if (json === '') return []
  const exceptions = JSON.parse(json) as { type: AttributeValue | null; message: AttributeValue | null }[]
  return exceptions.map(({ type, message }) => ({ type: type ?? undefined, message: message ?? undefined }))
}
