import { FAILURE_ATTRIBUTES } from '../../domain/failures.ts'

const PATHS = FAILURE_ATTRIBUTES.map((key) => `'/${key}'`).join(', ')

/**
 * What the table `failures` has of a span's attributes and events: the values of what tells of a failure, in their order, and
 * the exceptions in theirs. Nothing in it is the span's own, so that the same failure is told in the same text. Texts that are
 * no JSON tell nothing.
 */
export const FAILURE_TEXTS = `coalesce(to_json(TRY(json_extract(nullif(s.attributes, ''), [${PATHS}])))::VARCHAR, '') AS attributes,
  CASE WHEN contains(s.events, 'exception') THEN coalesce(nullif(to_json(list_transform(list_sort(list_transform(
    list_filter(TRY(CAST(s.events AS JSON[])), lambda e: e->>'name' = 'exception'),
    lambda e, i: {'at': TRY_CAST(e->>'timeUnixNano' AS HUGEINT), 'place': i, 'event': e})),
    lambda x: json_object('type', json_extract(x.event, '/attributes/exception.type'),
      'message', json_extract(x.event, '/attributes/exception.message'))))::VARCHAR, 'null'), '') ELSE '' END AS exceptions`

/** Fills the table from spans that are sealed. */
export function failuresOfSpans(alias: string): string {
  return `INSERT INTO ${alias}.failures
    SELECT s.service_no, s.start_ns, s.trace_no, s.span_id, s.parent_id, s.duration_ns, s.kind, s.operation_no, s.status_message,
      ${FAILURE_TEXTS} FROM ${alias}.spans s WHERE s.status = 2`
}
