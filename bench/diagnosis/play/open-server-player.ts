import { type ApiClient, createApiClient } from '../../../server/cli/api-client.ts'
import { localAdminCredential, readLocalAdmin } from '../../../server/cli/local-admin.ts'
import { createOtlpClient } from '../../../server/cli/otlp-client.ts'
import type { Signal } from '../../../server/ingest/ingest.ts'
import { MeasuredServer } from '../../server/measured-server.ts'
import type { Export, Incident } from '../incidents/incident.ts'
import type { Answer, GivenDiagnosis, Played, Player } from './player.ts'
import { untilLooked } from './until-looked.ts'

/** A Grid and the key that everything about it is sent and asked with. */
export interface PlayGrid {
  id: string
  api: ApiClient
  send(signal: Signal, body: string): Promise<void>
}

/** What `/diagnosis` answers, as far as it is judged here. */
interface DiagnosisAnswer {
  diagnoses: (Omit<GivenDiagnosis, 'firstDetectedMs'> & { firstDetected: string })[]
}

const PATIENCE = { patienceMs: 120_000, waitsForServer: false }
const SENT_AT_ONCE = 4
const MS_PER_HOUR = 3_600_000
/** An incident is asked about some minutes after it ended, as soon as possible. */
const SINCE_END_MS = 60_000

/** The server as a person would start it: OTLP over HTTP in, `/diagnosis` out, a Grid for each incident. */
export async function openServerPlayer(): Promise<Player> {
  const server = await MeasuredServer.create()
  try {
    await server.start()
    const makeGrid = await gridMaker(server)
    return {
      atOnce: 25,
      play: (incidents) => server.during(playAll(incidents, makeGrid)),
      close: () => server.remove(),
    }
  } catch (error) {
    await server.remove()
    throw error
  }
}

type GridMaker = (name: string) => Promise<PlayGrid>

async function gridMaker({ url, dataFolder }: MeasuredServer): Promise<GridMaker> {
  const admin = await readLocalAdmin(dataFolder)
  if (admin === undefined) throw new Error(`${dataFolder} is no data folder`)
  const api = createApiClient({ url, credential: localAdminCredential(admin), patience: PATIENCE })
  return async (name) => {
    const { gridSecondaryId: id } = await api.post<{ gridSecondaryId: string }>('/apm/grids', { name })
    const wanted = { name: 'benchmark', role: 'Owner', scopes: ['read', 'ingest', 'manage'] }
    const { secret: apiKey } = await api.post<{ secret: string }>(`/apm/grids/${id}/keys`, wanted)
    const otlp = createOtlpClient({ url, apiKey, patience: PATIENCE })
    return {
      id,
      api: createApiClient({ url, credential: async () => ({ 'api-key': apiKey }), patience: PATIENCE }),
      async send(signal, body) {
        const { rejected, reason } = await otlp.send(signal, 'json', new TextEncoder().encode(body))
        if (rejected > 0) throw new Error(`${name}: ${rejected} records were rejected: ${reason}`)
      },
    }
  }
}

async function playAll(incidents: Incident[], makeGrid: GridMaker): Promise<Played[]> {
  const played: Played[] = []
  for (const incident of incidents) played.push(await playInGrid(incident, await makeGrid(incident.label.id)))
  await untilLooked(await makeGrid('the last one that is looked at'))
  return played
}

/** Moved to the near past, which the server believes and keeps; by whole hours, so that every minute stays what it was. */
async function playInGrid(incident: Incident, grid: PlayGrid): Promise<Played> {
  const moveMs = Math.floor((Date.now() - SINCE_END_MS - incident.label.endMs) / MS_PER_HOUR) * MS_PER_HOUR
  await sendAll(incident.exports(moveMs), grid)
  return {
    incident,
    ask: (atMs, windowMinutes) => ask(grid, atMs, windowMinutes, moveMs),
    async forget() {},
  }
}

async function sendAll(exports: Iterable<Export>, grid: PlayGrid): Promise<void> {
  const left = exports[Symbol.iterator]()
  const sendOneByOne = async (): Promise<void> => {
    for (let next = left.next(); !next.done; next = left.next()) await grid.send(next.value.signal, next.value.body)
  }
  await Promise.all(Array.from({ length: SENT_AT_ONCE }, sendOneByOne))
}

async function ask({ id, api }: PlayGrid, atMs: number, windowMinutes: number, moveMs: number): Promise<Answer> {
  const query = { at: new Date(atMs + moveMs).toISOString(), window: windowMinutes }
  const startedMs = performance.now()
  const { diagnoses } = await api.get<DiagnosisAnswer>(`/apm/diagnostics/${id}/diagnosis`, query)
  const tookMs = performance.now() - startedMs
  const given = diagnoses.map(({ firstDetected, ...rest }) => ({
    ...rest,
    firstDetectedMs: Date.parse(firstDetected) - moveMs,
  }))
  return { diagnoses: given, tookMs }
}
