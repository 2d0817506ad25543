import { describe, expect, it } from 'vitest'
import { judgeAnswer } from './judge-answer.ts'
import { parseScenarios } from './parse-scenarios.ts'
import type { Expectation } from './scenario.ts'

const MOMENT_MS = Date.parse('2026-03-01T12:00:00Z')

function expectationsOf(lines: string): Expectation[] {
  const indented = lines.replaceAll(/^/gm, '  ')
  const [scenario] = parseScenarios('a.scenario', `scenario one\nask /health\n${indented}`)
  const [step] = scenario?.stages[0] ?? []
  return step?.kind === 'ask' ? step.expectations : []
}

const judged = (lines: string, body: unknown, status = 200) =>
  judgeAnswer(expectationsOf(lines), { status, body }, MOMENT_MS)

const SERVICES = {
  overallStatus: 'degraded',
  timestamp: '2026-03-01T11:45:30.500Z',
  services: [
    { name: 'shop', rate: 10, callers: ['web', 'api'] },
    { name: '', rate: 0.5, callers: [] },
  ],
}

describe('an answer is judged', () => {
  it.each([
    ['a value', 'overallStatus = degraded'],
    ['a time', 'timestamp = -14m29.5s'],
    ['a time nearby', 'timestamp = -15m±1m'],
    ['a table', 'services\n  name | rate | callers\n  shop | 10 | web, api\n  "" | 0.5 | *'],
    ['a table that goes on', 'services\n  name\n  shop\n  …'],
    ['a table in any order', 'services unordered\n  name | rate\n  "" | *\n  * | 10'],
    ['patterns and comparisons', 'services\n  name | rate\n  /^sh/ | >9\n  * | <=0.5'],
    ['about as much', 'services.0.rate = ≈10.05'],
    ['something that is not there', 'services.2 = missing'],
  ])('as right: %s', (_, lines) => {
    expect(judged(lines, SERVICES)).toEqual([])
  })

  it.each([
    ['another value', 'overallStatus = healthy', 'overallStatus is degraded instead of healthy'],
    ['another time', 'timestamp = -14m', 'timestamp is -14m29.5s instead of -14m'],
    ['more rows', 'services\n  name\n  shop', '≠ ""'],
    ['fewer rows', 'services\n  name\n  shop\n  ""\n  cart', 'should be'],
    ['another order', 'services\n  name\n  ""\n  shop', '≠ shop'],
    ['other rows, in any order', 'services unordered\n  name\n  ""\n  cart', '≠ shop'],
    ['rows at all', 'services none', '≠ shop'],
    ['too much', 'services.0.rate = ≈10.2', 'is 10 instead of ≈10.2'],
    ['no list', 'overallStatus\n  name\n  shop', 'is no list but degraded'],
  ])('as wrong: %s', (_, lines, words) => {
    expect(judged(lines, SERVICES).join('\n')).toContain(words)
  })

  it('by its refusal', () => {
    const refused = { type: 'urn:faultline:problem:unknown-service', detail: 'no service cart' }
    expect(judged('refused 404 unknown-service "cart"', refused, 404)).toEqual([])
    expect(judged('refused 404 unknown-service "shop"', refused, 404)).toHaveLength(1)
    expect(judged('refused 404 unknown-service "cart"', SERVICES)).toHaveLength(1)
    expect(judged('overallStatus = degraded', refused, 404)[0]).toContain('answered with 404')
  })
})

describe('a scenario that cannot be read', () => {
  it.each([
    ['ask /health', 'a file begins with a scenario'],
    ['scenario one\nask /health', 'nothing is expected of the answer'],
    ['scenario one\nspans every 5s\n  a SERVER b 1ms', 'a time is missing'],
    ['scenario one\nspans at soon\n  a SERVER b 1ms', '"soon" is no time'],
    ['scenario one\nwait', '"wait" begins nothing'],
    ['scenario one\nask /health\n  services\n    a | b\n    1', '2 cells are needed'],
  ])('says so with its line: %j', (text, words) => {
    expect(() => parseScenarios('a.scenario', text)).toThrow(/^a\.scenario:\d+: /)
    expect(() => parseScenarios('a.scenario', text)).toThrow(words)
  })
})
