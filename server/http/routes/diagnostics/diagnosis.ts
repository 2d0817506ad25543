import type { ControlStore, GridEvent } from '../../../control/control-store.ts'
import { diagnose } from '../../../diagnostics/diagnosis/diagnose.ts'
import type { RecordedChange } from '../../../diagnostics/diagnosis/facts.ts'
import { isoOfNs, NS_PER_MS, type TimeWindow } from '../../../domain/time-window.ts'
import { READS } from '../../access.ts'
import type { Routes } from '../../endpoint.ts'
import * as schema from '../../schemas/diagnostics/diagnosis.ts'
import { momentQuery } from '../../schemas/diagnostics/moment.ts'
import { DIAGNOSTICS, momentOf } from './moment.ts'

/** What happens to a system, not in it. */
const CHANGES = new Set<GridEvent['type']>(['deployment', 'scaling', 'new_service', 'new_endpoint', 'configuration'])

/** What was recorded of changes to a Grid. */
export function changesOf(
  events: Pick<ControlStore['events'], 'list'>,
  gridId: string,
): (window: TimeWindow) => Promise<RecordedChange[]> {
  return async ({ startNs, endNs }) => {
    const range = { startMs: Number(startNs / NS_PER_MS), endMs: Number(endNs / NS_PER_MS) }
    const recorded = await events.list(gridId, range)
    return recorded
      .filter(({ type }) => CHANGES.has(type))
      .map(({ atMs, type, serviceName, description }) => ({
        atNs: BigInt(atMs) * NS_PER_MS,
        type,
        serviceName,
        description,
      }))
  }
}

export function registerDiagnosis({ onGrid }: Routes, { events }: ControlStore): void {
  onGrid(
    {
      tag: 'Diagnostics',
      access: READS,
      method: 'GET',
      path: `${DIAGNOSTICS}/diagnosis`,
      summary: 'Get what broke, and why',
      description:
        'What got worse in the window against the hour before (minutes of earlier trouble left out; with too little baseline, against the calm part of the window), traced to where it began: where errors without errors below them arise, where exclusive time grew, what is saturated, what changed shortly before, what the bad requests share. Symptoms of one cause are one diagnosis; a healthy system has none.',
      query: momentQuery,
      response: schema.diagnosis,
    },
    async ({ grid, reader, query, nowMs }) => {
      const windows = momentOf(query, nowMs)
      const diagnoses = await diagnose({ reader, changes: changesOf(events, grid.id) }, windows)
      return {
        diagnoses: diagnoses.map(({ firstDetectedNs, ...rest }) => ({
          ...rest,
          firstDetected: isoOfNs(firstDetectedNs),
        })),
      }
    },
  )
}
