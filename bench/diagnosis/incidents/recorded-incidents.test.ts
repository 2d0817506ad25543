import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordedIncidents } from './recorded-incidents.ts'

const START = 1_700_000_000_000
let folder: string

const line = (name: string, atMs: number) =>
  JSON.stringify({
    resourceSpans: [
      { scopeSpans: [{ spans: [{ name, startTimeUnixNano: `${atMs}000001`, endTimeUnixNano: `${atMs}000002` }] }] },
    ],
  })

function write(path: string, lines: string[]): void {
  writeFileSync(join(folder, path), gzipSync(`${lines.join('\n')}\n`))
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-incidents-'))
  mkdirSync(join(folder, 'normal'))
  mkdirSync(join(folder, 'incidents', 'one'), { recursive: true })
  write('normal/calm.traces.jsonl.gz', [line('calm', START)])
  write('incidents/one/traces.jsonl.gz', [line('bad', START + 600_000), line('worse', START + 660_000)])
  const times = { injectStartUnixNano: `${START + 600_000}000000`, injectEndUnixNano: `${START + 780_000}000000` }
  const common = { ...times, system: 'shop', baseline: [{ chunk: 'calm', shiftNs: '5000000000' }] }
  writeFileSync(
    join(folder, 'labels.json'),
    JSON.stringify([
      { incidentId: 'one', ...common, rootService: 'cart', faultType: 'cpu_consumed', causeKind: 'cpu' },
      { incidentId: 'control', ...common, rootService: null, faultType: 'none', causeKind: 'none' },
    ]),
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('recorded incidents', () => {
  it('say what is true of them', () => {
    const [one, control] = recordedIncidents(folder).map(({ label }) => label)
    expect(one).toMatchObject({
      id: 'one',
      system: 'shop',
      kind: 'cpu',
      faults: [{ serviceNames: ['cart'], causes: ['cpuSaturation'] }],
      onsetMs: START + 600_000,
      endMs: START + 780_000,
    })
    expect(control?.faults).toEqual([])
  })

  it('come as one request with the normal minutes first, each moved to its place and all of it to the time asked for', () => {
    const [one] = recordedIncidents(folder)
    const exports = [...(one?.exports(3_600_000) ?? [])]
    expect(exports.map(({ signal }) => signal)).toEqual(['traces'])
    const { resourceSpans } = JSON.parse(exports[0]?.body ?? '')
    const spans = resourceSpans.map((each: { scopeSpans: { spans: object[] }[] }) => each.scopeSpans[0]?.spans[0])
    expect(spans).toEqual([
      {
        name: 'calm',
        startTimeUnixNano: `${START + 5_000 + 3_600_000}000001`,
        endTimeUnixNano: `${START + 5_000 + 3_600_000}000002`,
      },
      expect.objectContaining({ name: 'bad', startTimeUnixNano: `${START + 600_000 + 3_600_000}000001` }),
      expect.objectContaining({ name: 'worse' }),
    ])
  })

  it('are not looked for where there are none', () => {
    expect(() => recordedIncidents(tmpdir())).toThrow('it has no labels.json')
  })
})
