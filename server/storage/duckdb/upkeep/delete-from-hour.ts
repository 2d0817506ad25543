import type { RecordCounts, RecordMatch } from '../../../domain/record-match.ts'
import type { Session } from '../engine/session.ts'
import type { HourFiles } from '../files/hour-files.ts'
import type { Layout } from '../layout.ts'
import { rewriteHour } from './compactor.ts'
import {
  countMatchingRows,
  forgetMatchingRows,
  keptWithoutMatching,
  noteMatchingNames,
  noteMatchingRows,
} from './matching-rows.ts'

/**
 * Rewrites an hour without the records that match, where it has any, and tells how many those were. `onFound` is called before
 * that, where there are any: what was made of them must not outlive them, whatever moment the process ends at.
 */
export async function deleteFromHour(
  session: Session,
  files: HourFiles,
  layout: Layout,
  { gridId, hour }: { gridId: string; hour: number },
  match: RecordMatch,
  onFound: () => Promise<void>,
): Promise<RecordCounts> {
  const deleted = { spans: 0, logRecords: 0, metricPoints: 0 }
  const replaced = await files.rewriting(gridId, hour, async () => {
    const file = files.find(gridId, hour)
    const release = file && (await files.use(file))
    if (!file || !release) return undefined
    try {
      await noteMatchingRows(session, file, match)
      const { any, ...counts } = await countMatchingRows(session, file)
      if (!any) return undefined
      await noteMatchingNames(session, file, match)
      Object.assign(deleted, counts)
      await onFound()
      return await rewriteHour(
        session,
        files,
        layout,
        file,
        file.isStripped ? 'sums' : 'all',
        keptWithoutMatching(file.alias),
      )
    } finally {
      release()
      await forgetMatchingRows(session)
    }
  })
  if (replaced) await files.deleteUnused(replaced)
  return deleted
}
