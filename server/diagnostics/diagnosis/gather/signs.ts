import type { DiagnosticsReader } from '../../../storage/diagnostics-reader.ts'
import { PRESSURE_METRICS } from '../../pressure/metric-index.ts'
import { callGraph } from '../call-graph.ts'
import type { Overview, Signs } from '../facts.ts'
import { withMentions } from '../habits/with-mentions.ts'
import { resourceJumps } from '../resources/resource-jump.ts'
import { type MinuteAxis, windowOf } from '../series/minute-axis.ts'
import type { SlowWay } from '../ways/slow-ways.ts'
import { gatherBehaviour, type Lot } from './behaviour.ts'

const POINTS_MAX = 60_000

/** What is wrong although no request need fail or be slow. */
export async function gatherSigns(reader: DiagnosticsReader, overview: Overview, lot: Lot): Promise<Signs> {
  const [behaviour, jumps] = await Promise.all([
    gatherBehaviour(reader, overview, lot),
    gatherJumps(reader, overview.axis),
  ])
  const busy = new Set(jumps.map(({ saturation }) => saturation.serviceName))
  const graph = callGraph(overview.edges)
  const habits = withMentions(behaviour.habits, overview.edges, graph)
  return { habits, jumps, ways: behaviour.ways.map((way) => ({ ...way, ...ownerOf(way, busy) })) }
}

/** Who has no strength left makes calls wait at its end, whichever that is. */
function ownerOf({ sourceName, targetName }: SlowWay, busy: ReadonlySet<string>): Partial<SlowWay> {
  const serviceName = [targetName, sourceName].find((name) => busy.has(name))
  return serviceName === undefined ? {} : { serviceName }
}

async function gatherJumps(reader: DiagnosticsReader, axis: MinuteAxis) {
  const points = await reader.pointsOf([...PRESSURE_METRICS], windowOf(axis, { from: 0, to: axis.length }), POINTS_MAX)
  return resourceJumps(points, windowOf(axis, { from: axis.currentFrom, to: axis.length }))
}
