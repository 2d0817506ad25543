/** One kind of question about the last hour, as it is asked over HTTP and as bare SQL on the files of that time. */
export interface LogQuestion {
  name: string
  /** The median over HTTP must be below, with half a million records in the hour. */
  targetMs?: number
  method: 'GET' | 'POST'
  /** Below `/apm/`. */
  path: string
  body?: object
  /** What is asked of all rows by hand; none where nobody would. */
  condition?: string
}

export interface AskedHour {
  gridId: string
  startMs: number
  endMs: number
  /** Of a record in the hour. */
  logId: string
  spanId: string
}

/** As a person would write it by hand. */
function allWords(...words: string[]): string {
  return words.map((word) => `contains(lower(body), '${word}')`).join(' AND ')
}

export function logQuestions({ gridId, startMs, endMs, logId, spanId }: AskedHour): LogQuestion[] {
  const range = { rangeStart: iso(startMs), rangeEnd: iso(endMs) }
  const search = (name: string, filter: object, condition: string, targetMs?: number): LogQuestion => ({
    name,
    ...(targetMs === undefined ? {} : { targetMs }),
    method: 'POST',
    path: `logs/${gridId}`,
    body: { ...range, ...filter },
    condition,
  })
  const get = (name: string, path: string): LogQuestion => ({ name, method: 'GET', path: `logs/${gridId}/${path}` })
  return [
    search('two words', { body: 'CONNECTION timed' }, allWords('connection', 'timed'), 300),
    search('two words that are in most', { body: 'after ms' }, allWords('after', 'ms'), 300),
    search('two words that are in none', { body: 'segmentation fault' }, allWords('segmentation', 'fault'), 300),
    search('two words of another script', { body: 'ошибка ПОДКЛЮЧЕНИЯ' }, allWords('ошибка', 'подключения'), 300),
    search('part of an id', { body: 'ord-123' }, allWords('ord-123')),
    search('newest 20', {}, 'true'),
    search('severity Error', { severityLevel: 'Error' }, 'severity BETWEEN 17 AND 20'),
    search(
      'an attribute',
      { attributes: { 'user.id': 'user-00002' } },
      `json_extract_string(attributes, '/user.id') = 'user-00002'`,
    ),
    get('entry by id', `details/${logId}`),
    get('entry by span', `details/${spanId}`),
    get('patterns', `patterns?${new URLSearchParams(range)}`),
    get('filters', 'filters'),
  ]
}

/** Counts what meets a condition and finds the newest 20, in all files of the time. */
export function bareSql(condition: string, files: number, { startMs, endMs }: AskedHour): string[] {
  const rows = Array.from(
    { length: files },
    (_, i) =>
      `SELECT * FROM hour_${i}.logs WHERE time_ns >= ${startMs}000000 AND time_ns < ${endMs}000000 AND ${condition}`,
  ).join(' UNION ALL ')
  return [`SELECT count(*) FROM (${rows})`, `SELECT * FROM (${rows}) ORDER BY time_ns DESC LIMIT 20`]
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
