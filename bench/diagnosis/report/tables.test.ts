import { describe, expect, it } from 'vitest'
import type { Label } from '../incidents/incident.ts'
import type { GivenDiagnosis } from '../play/player.ts'
import { judge } from '../score/judge.ts'
import type { Result } from '../score/result.ts'
import { markdownOf } from './table-of.ts'
import { tablesOf } from './tables.ts'

const label = (id: string, kind: string, system: string): Label => ({
  id,
  kind,
  system,
  faults: kind === 'none' ? [] : [{ serviceNames: ['cart'], causes: ['exception'] }],
  onsetMs: 0,
  endMs: 60_000,
  isGradual: kind === 'leak',
})
const given = (service: string, confidence: number, firstDetectedMs = 0): GivenDiagnosis => ({
  cause: `Exception in ${service} (x)`,
  confidence,
  affectedServices: [service],
  evidence: [],
  firstDetectedMs,
})

function result(of: Label, diagnoses: GivenDiagnosis[], tookMs: number, firstRightMs?: number): Result {
  const answers = [3, 10].map((windowMinutes) => ({ windowMinutes, diagnoses, tookMs, ...judge(of, diagnoses) }))
  return { label: of, answers, firstRightMs }
}

const tables = tablesOf([
  result(label('a', 'throws', 'one'), [given('cart', 0.9)], 10, 15_000),
  result(label('b', 'throws', 'two'), [given('web', 0.8), given('cart', 0.3)], 30),
  result(label('c', 'leak', 'two'), [given('cart', 0.9, 900_000)], 20, 45_000),
  result(label('d', 'none', 'one'), [given('web', 0.6)], 1000),
])
const rowsOf = (title: string) => tables.find((table) => table.title.startsWith(title))?.rows ?? []
const row = (title: string, name: string) => rowsOf(title).find(([first]) => first === name)

describe('the tables of an evaluation', () => {
  it('say how many answers are right, for all, each system and each kind', () => {
    expect(row('Right answers, window 3', 'all')).toEqual([
      'all',
      '3',
      '66.7 % (21–94)',
      '100 % (44–100)',
      '66.7 % (21–94)',
      '50 % (9–91), n 2',
    ])
    expect(row('Right answers, window 3', 'one')?.slice(1, 3)).toEqual(['1', '100 % (21–100)'])
    expect(row('Right answers, window 3', 'throws')?.slice(1, 3)).toEqual(['2', '50 % (9–91)'])
    expect(row('Right answers, window 3', 'two, leak')?.slice(1, 3)).toEqual(['1', '100 % (21–100)'])
  })

  it('leave the onset of gradual faults out', () => {
    expect(row('Right answers, window 10', 'leak')?.at(-1)).toBe('–')
  })

  it('tell of accusations where nothing is wrong', () => {
    expect(row('False accusations', 'all')?.slice(1, 3)).toEqual(['1', '1: 100 % (21–100)'])
  })

  it('count the time to a right answer only where there was one', () => {
    expect(row('From the onset', 'all')).toEqual(['all', '3', '66.7 % (21–94)', '15', '45'])
  })

  it('judge every diagnosis that was given, and those alone that came first', () => {
    const calibration = tables.find(({ title }) => title.startsWith('Calibration'))
    expect(calibration?.rows.map((cells) => cells.slice(0, 4))).toEqual([
      ['0.3–0.4', '1', '0.30', '100 % (21–100)'],
      ['0.6–0.7', '1', '0.60', '0 % (0–79)'],
      ['0.8–0.9', '1', '0.80', '0 % (0–79)'],
      ['0.9–1.0', '2', '0.90', '100 % (34–100)'],
    ])
    // (0.7 + 0.6 + 0.8 + 2 × 0.1) / 5, and without the second one (0.6 + 0.8 + 2 × 0.1) / 4.
    expect(calibration?.note).toContain('n 5. Expected calibration error 0.460')
    expect(calibration?.note).toContain('0.400 of the first diagnoses alone (n 4)')
  })

  it('say how long an answer takes', () => {
    expect(row('The time of an answer', 'window 3')).toEqual(['window 3', '4', '20', '1000', '1000'])
  })

  it('become a report', () => {
    const text = markdownOf({ title: 'T', note: 'N', head: ['', 'n'], rows: [['a|b', '1']] })
    expect(text).toBe('## T\n\nN\n\n|  | n |\n|---|---:|\n| a\\|b | 1 |\n')
  })
})
