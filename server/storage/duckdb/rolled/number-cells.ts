import { stepNumberOfColumn } from '../scope/minute-ranges.ts'

/** A plain number stands for itself, an integer beyond 2^53 in the detail; anything else is no number. */
export const NUMBER = "CASE WHEN detail = '' THEN number ELSE json_extract_string(detail, '/integer')::DOUBLE END"

export const CELL_COLUMNS =
  'points, total, least, greatest, first_ns, start_ns, first_value, last_ns, last_value, grown, grown_ns'

/** Points with a `value`, each as a cell of its own; `keys` are the columns that tell of its series. */
export function cellsOfPoints(points: string, keys: string): string {
  return `SELECT ${keys}, 1 AS points, value AS total, value AS least, value AS greatest, time_ns AS first_ns, start_ns,
      value AS first_value, time_ns AS last_ns, value AS last_value, 0::DOUBLE AS grown, 0::DOUBLE AS grown_ns
    FROM ${points} WHERE isfinite(value)`
}

/**
 * The cells with the `growth` to their first point from the last one before it in their partition, and the `elapsed_ns` that it
 * took; `before_ns` is null where there is none before. A sum of all time has grown since the point before, or from 0 where it
 * has begun anew: `beganIn` is the condition that it is known to, of a point that has none before.
 */
export function withGrowth(cells: string, partition: string, beganIn: string): string {
  return `(SELECT *,
      CASE WHEN is_delta THEN first_value
        WHEN before_ns IS NULL THEN CASE WHEN ${beganIn} THEN first_value END
        WHEN start_ns > before_ns OR first_value < before THEN first_value ELSE first_value - before END AS growth,
      CASE WHEN is_delta AND start_ns > 0 THEN first_ns - start_ns
        WHEN before_ns IS NOT NULL THEN first_ns - before_ns
        WHEN ${beganIn} AND NOT is_delta THEN first_ns - start_ns END AS elapsed_ns
    FROM (SELECT *, lag(last_value) OVER by_time AS before, lag(last_ns) OVER by_time AS before_ns
      FROM ${cells} WINDOW by_time AS (PARTITION BY ${partition} ORDER BY first_ns)))`
}

/** What cells of a series add up to in each step. How its first point came about is left to whoever knows what was before. */
export function mergedCells(cells: string, stepMinutes: number): string {
  const step = stepNumberOfColumn('first_ns', stepMinutes)
  const grew = 'before_ns IS NOT NULL AND elapsed_ns > 0'
  return `SELECT series_no, sum(points), sum(total), min(least), max(greatest), min(first_ns), arg_min(start_ns, first_ns),
      arg_min(first_value, first_ns), max(last_ns), arg_max(last_value, last_ns),
      sum(grown + CASE WHEN ${grew} THEN growth ELSE 0 END), sum(grown_ns + CASE WHEN ${grew} THEN elapsed_ns ELSE 0 END)
    FROM ${withGrowth(cells, `series_no, ${step}`, 'false')} GROUP BY series_no, ${step} ORDER BY series_no, min(first_ns)`
}
