/** As many bits of a hash as a double holds: ids are only ever compared. */
export const shortened = (hash: string) => `(${hash} >> 11)::DOUBLE`

/** A span's columns as numbers; its start is counted from a moment. */
export function spanNumbers(traceKey: string, fromNs: bigint): string {
  return `${shortened(traceKey)} AS trace, ${shortened('hash(span_id)')} AS span,
    CASE WHEN parent_id = 0 THEN 0 ELSE ${shortened('hash(parent_id)')} END AS parent,
    (start_ns - ${fromNs})::DOUBLE AS start, duration_ns::DOUBLE AS duration, kind`
}
