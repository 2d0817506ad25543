import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Signal } from '../../../server/ingest/ingest.ts'
import { batched } from './export-batches.ts'
import type { Export, Incident, Label } from './incident.ts'
import { CAUSES_OF_RECORDED } from './right-causes.ts'

/** A stretch of normal traffic that several incidents share, and by how much it is moved for this one. */
interface Chunk {
  chunk: string
  shiftNs: string
}

/** An entry of `labels.json`; more is in it, which is not needed here. */
interface RecordedLabel {
  incidentId: string
  system: string
  injectStartUnixNano: string
  injectEndUnixNano: string
  rootService: string | null
  faultType: string
  causeKind: string
  baseline: Chunk[]
  /** Of a control: its minutes are normal ones as well. */
  own?: Chunk[]
}

const SIGNALS: Signal[] = ['traces', 'logs', 'metrics']
const TIME = /"((?:start|end|observed)TimeUnixNano|timeUnixNano)":"(\d+)"/g
const NS_PER_MS = 1_000_000n

/** The incidents of a folder: recorded once in real systems, as OTLP in JSON, with `labels.json` beside them. */
export function recordedIncidents(folder: string): Incident[] {
  const file = join(folder, 'labels.json')
  if (!existsSync(file)) throw new Error(`${folder} holds no incidents: it has no labels.json`)
  const labels = JSON.parse(readFileSync(file, 'utf8')) as RecordedLabel[]
  return labels.map((recorded) => ({
    label: labelOf(recorded),
    exports: (moveMs) => exportsOf(folder, recorded, moveMs),
  }))
}

function labelOf(recorded: RecordedLabel): Label {
  const { incidentId, system, causeKind, rootService } = recorded
  const causes = CAUSES_OF_RECORDED[causeKind]
  if (rootService !== null && causes === undefined) throw new Error(`${incidentId} is of the unknown kind ${causeKind}`)
  return {
    id: incidentId,
    system,
    kind: causeKind,
    faults: rootService === null ? [] : [{ serviceNames: [rootService], causes: causes ?? [] }],
    onsetMs: msOf(recorded.injectStartUnixNano),
    endMs: msOf(recorded.injectEndUnixNano),
    isGradual: false,
  }
}

function* exportsOf(folder: string, recorded: RecordedLabel, moveMs: number): Generator<Export> {
  for (const signal of SIGNALS) yield* batched(signal, linesOf(folder, recorded, signal, moveMs))
}

function* linesOf(folder: string, recorded: RecordedLabel, signal: Signal, moveMs: number): Generator<string> {
  const moveNs = BigInt(moveMs) * NS_PER_MS
  for (const { chunk, shiftNs } of [...recorded.baseline, ...(recorded.own ?? [])])
    yield* movedLines(join(folder, 'normal', `${chunk}.${signal}.jsonl.gz`), BigInt(shiftNs) + moveNs)
  yield* movedLines(join(folder, 'incidents', recorded.incidentId, `${signal}.jsonl.gz`), moveNs)
}

/** A signal that a system does not send has no file. */
function* movedLines(file: string, moveNs: bigint): Generator<string> {
  if (!existsSync(file)) return
  for (const line of gunzipSync(readFileSync(file)).toString('utf8').split('\n'))
    if (line !== '') yield line.replace(TIME, (_, name, ns) => `"${name}":"${BigInt(ns) + moveNs}"`)
}

function msOf(ns: string): number {
  return Number(BigInt(ns) / NS_PER_MS)
}
