/** Raised when an earlier program could not read what this one writes. */
export const FORMAT_VERSION = 2

/**
 * An open file takes rows of every Grid as they come, and lives in its log only. Column order is what the chunk writers
 * write. Origins are named by a hash of their content. A point that is no plain number has its value as JSON in `detail`.
 */
export const OPEN_FILE_TABLES = {
  origins: 'origin UBIGINT, service VARCHAR, resource VARCHAR, scope_name VARCHAR, scope_version VARCHAR',
  spans: `grid UUID, trace_id UUID, span_id UBIGINT, parent_id UBIGINT, start_ns BIGINT, duration_ns BIGINT,
    kind UTINYINT, status UTINYINT, flags UINTEGER, dropped UINTEGER, origin UBIGINT, operation VARCHAR,
    status_message VARCHAR, trace_state VARCHAR, attributes VARCHAR, events VARCHAR, links VARCHAR,
    key_set UBIGINT, called VARCHAR, dependency VARCHAR, receives UTINYINT`,
  logs: `grid UUID, id UUID, trace_id UUID, span_id UBIGINT, time_ns BIGINT, observed_ns BIGINT, severity UTINYINT,
    flags UINTEGER, dropped UINTEGER, origin UBIGINT, severity_text VARCHAR, body VARCHAR, event_name VARCHAR,
    attributes VARCHAR, key_set UBIGINT, template VARCHAR`,
  points: `grid UUID, series UUID, time_ns BIGINT, start_ns BIGINT, origin UBIGINT, flags UINTEGER, number DOUBLE,
    metric VARCHAR, attributes VARCHAR, detail VARCHAR`,
} as const

/** What a span is to its neighbours, as bits of `role`. */
export const REQUEST = 1
export const LOCAL_ROOT = 2
export const ANSWERED = 4

/**
 * Sums of an hour's spans by the minute in which they began (0 to 59). Each sealing adds rows, in the transaction that adds its
 * spans: the sums cover exactly the open files that `sealed` lists. Rows of the same key are to be added up, and numbers may
 * be negative: what a later span teaches about an earlier one is put right by taking the earlier row away and adding another.
 * A sum of durations that 64 bits do not hold is told by several rows. (Files of earlier programs have it in 128 bits.)
 * The same rights, span by span, are in the corrections, since a span's own `role` and callee stay as they were sealed until
 * the hour is rewritten: then they are what the corrections made of them, which are gone (`fold-corrections.ts`). Left are the
 * callees of a call besides its first, and corrections of some among spans that are alike.
 *
 * How long requests took is counted in buckets, all of a row's packed into one value (`packed-counts.ts`, decision 18).
 *
 * `message_links` names the producers that consumers of this hour link to.
 */
const AGGREGATE_TABLES = {
  minute_requests: `minute UTINYINT, service_no UINTEGER, operation_no UINTEGER, kind UTINYINT, role UTINYINT,
    requests BIGINT, errors BIGINT, duration_ns BIGINT, satisfied BIGINT, tolerating BIGINT`,
  minute_latencies: `service_no UINTEGER, operation_no UINTEGER, kind UTINYINT, role UTINYINT, minute UTINYINT,
    counts BLOB USING COMPRESSION zstd`,
  minute_calls: `minute UTINYINT, service_no UINTEGER, kind UTINYINT, callee_no UINTEGER, called_no UINTEGER,
    dependency_no UINTEGER, calls BIGINT, errors BIGINT, duration_ns BIGINT, unanswered BIGINT`,
  minute_origins: `minute UTINYINT, origin_no UINTEGER, kind UTINYINT, role UTINYINT, spans BIGINT, errors BIGINT,
    duration_ns BIGINT`,
  request_corrections: `start_ns BIGINT, service_no UINTEGER, operation_no UINTEGER, origin_no UINTEGER, kind UTINYINT,
    status UTINYINT, duration_ns BIGINT, role UTINYINT, n TINYINT`,
  call_corrections: `start_ns BIGINT, service_no UINTEGER, kind UTINYINT, status UTINYINT, duration_ns BIGINT,
    callee_no UINTEGER, called_no UINTEGER, dependency_no UINTEGER, answered BOOLEAN, n TINYINT`,
  message_links: 'trace_id UUID, span_id UBIGINT, service_no UINTEGER',
} as const

/**
 * An hour file holds one Grid's records that began in one hour. Names and origins are numbered within the file; a span
 * points at its trace by number, so that traces are counted and joined as small integers. Rows of one sealing are sorted
 * by service and time, but those of spans only once an hour is compacted. Links are not compressed by zstd, which spends four
 * bytes on every row, and most spans have none.
 *
 * `traces.shared` marks a trace that may have spans in another hour too; marking too many is harmless. `root_ns` is the
 * start of its earliest root, null where it has none; `first_open` the open file that it first came here from. `sealed` lists the open files whose rows are in here, written in the same
 * transaction as the rows; `compacted` says how many those were when the file was last rewritten in one order. `usage` counts what the filter options offer.
 * `failed_spans` has the failed spans once more, with nothing but what tells of the failure: they are few, and lie far apart
 * among the others. Most tell the same but for ids and numbers: `tellings` has each of that once, named by a hash of it. For
 * the same reason `drawn_spans` has the spans of one trace in 16, with nothing but what they did.
 * `span_times` says in which second a span began, for the spans that were there when the file was rewritten in one order.
 * Logs of an earlier program have no `template_no`.
 */
export const HOUR_FILE_TABLES = {
  sealed: 'open_no UBIGINT',
  compacted: 'sealings UBIGINT',
  names: 'name_no UINTEGER, name VARCHAR',
  origins:
    'origin_no UINTEGER, origin UBIGINT, service_no UINTEGER, resource VARCHAR, scope_name VARCHAR, scope_version VARCHAR',
  traces: `trace_no UINTEGER, trace_id UUID, shared BOOLEAN, first_ns BIGINT, last_ns BIGINT, root_ns BIGINT,
    first_open UBIGINT`,
  spans: `service_no UINTEGER, start_ns BIGINT, trace_no UINTEGER, span_id UBIGINT, parent_id UBIGINT,
    duration_ns BIGINT, kind UTINYINT, status UTINYINT, flags UINTEGER, dropped UINTEGER, origin_no UINTEGER,
    operation_no UINTEGER, status_message VARCHAR, trace_state VARCHAR, attributes VARCHAR USING COMPRESSION zstd,
    events VARCHAR USING COMPRESSION zstd, links VARCHAR, role UTINYINT, callee_no UINTEGER,
    called_no UINTEGER, dependency_no UINTEGER`,
  failed_spans: `service_no UINTEGER, start_ns BIGINT, trace_key UBIGINT, span_id UBIGINT, parent_id UBIGINT, duration_ns BIGINT,
    kind UTINYINT, operation_no UINTEGER, telling UBIGINT, own_values VARCHAR`,
  tellings: 'telling UBIGINT, content VARCHAR',
  drawn_spans: `trace_id UUID, span_id UBIGINT, parent_id UBIGINT, start_ns BIGINT, duration_ns BIGINT, kind UTINYINT,
    service_no UINTEGER, operation_no UINTEGER`,
  usage: 'kind VARCHAR, name VARCHAR, uses UBIGINT',
  logs: `service_no UINTEGER, time_ns BIGINT, id UUID, trace_id UUID, span_id UBIGINT, observed_ns BIGINT,
    severity UTINYINT, flags UINTEGER, dropped UINTEGER, origin_no UINTEGER, severity_text VARCHAR,
    body VARCHAR USING COMPRESSION zstd, event_name VARCHAR, attributes VARCHAR USING COMPRESSION zstd,
    template_no UINTEGER`,
  templates: 'template_no UINTEGER, template VARCHAR',
  series: 'series_no UINTEGER, series UUID, name VARCHAR, metric VARCHAR, origin_no UINTEGER, attributes VARCHAR',
  points: 'series_no UINTEGER, time_ns BIGINT, start_ns BIGINT, flags UINTEGER, number DOUBLE, detail VARCHAR',
  ...AGGREGATE_TABLES,
  span_times: 'folded_id UINTEGER, second USMALLINT',
} as const

/** To be run in one transaction, so that a crash leaves no file with some of its tables. */
export function createTables(alias: string, tables: Record<string, string>): string[] {
  return Object.entries(tables).map(([name, columns]) => `CREATE TABLE IF NOT EXISTS ${alias}.${name} (${columns})`)
}
