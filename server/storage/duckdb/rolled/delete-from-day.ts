import type { RecordMatch } from '../../../domain/record-match.ts'
import type { Session } from '../engine/session.ts'
import type { Layout } from '../layout.ts'
import { carriesAny } from '../upkeep/matching-rows.ts'
import type { DayFile } from './day-file.ts'
import type { DayFiles } from './day-files.ts'
import { writeSorted } from './sort-day.ts'

/** Rewrites a day without the series that match, where it has any. */
export async function deleteFromDay(
  session: Session,
  files: DayFiles,
  layout: Layout,
  file: DayFile,
  match: RecordMatch,
): Promise<void> {
  if (!match.signals.includes('metrics')) return
  const release = await files.use(file)
  if (!release) return
  try {
    const { condition, parameters } = carriesAny(['resource', 'attributes'], match)
    await session.run(
      `CREATE OR REPLACE TEMP TABLE gone_series AS SELECT series_no FROM ${file.alias}.series WHERE ${condition}`,
      parameters,
    )
    const [found] = await session.rows('SELECT 1 FROM gone_series LIMIT 1')
    if (!found) return
  } finally {
    release()
  }
  const kept = 'series_no NOT IN (SELECT series_no FROM gone_series)'
  await files.replace(file, () => writeSorted(session, layout, file.alias, kept))
}
