/** One trace in so many has its spans in the table `drawn_spans`. Another number needs the tables to be filled anew. */
const KEPT_ONE_IN = 16

/** Whether a trace is drawn, if it is one in so many. Those of a multiple are among those of a number. */
export function isDrawn(id: string, oneIn: number): string {
  return oneIn === 1 ? 'true' : `hash(${id}) % ${oneIn} = 0`
}

export function isKeptDrawn(traceId: string): string {
  return isDrawn(traceId, KEPT_ONE_IN)
}

/** Whether all traces that are drawn have their spans in the table. */
export function isKeptApart(oneIn: number): boolean {
  return oneIn % KEPT_ONE_IN === 0
}

/** Fills the table from spans that are sealed. */
export function drawnOfSpans(alias: string): string {
  return `INSERT INTO ${alias}.drawn_spans
    SELECT t.trace_id, s.span_id, s.parent_id, s.start_ns, s.duration_ns, s.kind, s.service_no, s.operation_no
    FROM (SELECT trace_id, trace_no FROM ${alias}.traces WHERE ${isKeptDrawn('trace_id')}) t JOIN ${alias}.spans s USING (trace_no)`
}
