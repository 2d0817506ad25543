import type { DiagnosticsReader } from '../../../storage/diagnostics-reader.ts'
import { PRESSURE_METRICS } from '../../pressure/metric-index.ts'
import type { Overview, Signs } from '../facts.ts'
import { resourceJumps } from '../resources/resource-jump.ts'
import { type MinuteAxis, windowOf } from '../series/minute-axis.ts'
import { gatherHabits } from './habits.ts'

const POINTS_MAX = 60_000

/** What is wrong although no request need fail or be slow. */
export async function gatherSigns(reader: DiagnosticsReader, overview: Overview): Promise<Signs> {
  const [habits, jumps] = await Promise.all([gatherHabits(reader, overview), gatherJumps(reader, overview.axis)])
  return { habits, jumps }
}

async function gatherJumps(reader: DiagnosticsReader, axis: MinuteAxis) {
  const points = await reader.pointsOf([...PRESSURE_METRICS], windowOf(axis, { from: 0, to: axis.length }), POINTS_MAX)
  return resourceJumps(points, windowOf(axis, { from: axis.currentFrom, to: axis.length }))
}
