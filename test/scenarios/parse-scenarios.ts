import { parseAsk } from './parse-ask.ts'
import { timeOf } from './relative-time.ts'
import type { ChartStep, Line, Load, Scenario, Schedule, Setting, SignalBlock, Step } from './scenario.ts'
import { pairOf, unquoted, wordsOf } from './words.ts'

/** The scenarios of a file. Fails with the file's name and line where it cannot be read. */
export function parseScenarios(file: string, text: string): Scenario[] {
  const scenarios: Scenario[] = []
  for (const block of blocksOf(linesOf(text))) {
    try {
      parseBlock(file, block, scenarios)
    } catch (error) {
      throw new Error(`${file}:${block.head.number}: ${(error as Error).message}`)
    }
  }
  return scenarios
}

interface Block {
  head: Line
  body: Line[]
}

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .map((line, index) => ({ ...withoutIndent(line), number: index + 1 }))
    .filter((line) => line.text !== '' && !line.text.startsWith('#'))
}

function withoutIndent(line: string): { text: string; indent: number } {
  const text = line.trim()
  return { text, indent: line.length - line.trimStart().length }
}

function blocksOf(lines: Line[]): Block[] {
  const blocks: Block[] = []
  for (const line of lines) {
    if (line.indent === 0) blocks.push({ head: line, body: [] })
    else blocks.at(-1)?.body.push(line)
  }
  return blocks
}

function parseBlock(file: string, { head, body }: Block, scenarios: Scenario[]): void {
  const [word = '', ...rest] = wordsOf(head.text)
  if (word === 'scenario') {
    const title = head.text.slice('scenario'.length).trim()
    scenarios.push({ title, file, line: head.number, present: false, stages: [[]] })
    return
  }
  const scenario = scenarios.at(-1)
  if (!scenario) throw new Error('a file begins with a scenario')
  if (word === 'present') scenario.present = true
  else if (word === 'later') scenario.stages.push([])
  else addStep(scenario, parseStep(word, rest, head, body))
}

function addStep({ stages }: Scenario, step: Step): void {
  const stage = stages.at(-1) ?? []
  if (step.kind !== 'ask' && stage.some((each) => each.kind === 'ask' && each.awaits))
    throw new Error('what follows an await must be asked; anything else comes later')
  stage.push(step)
}

function parseStep(word: string, rest: string[], head: Line, body: Line[]): Step {
  switch (word) {
    case 'spans':
    case 'logs':
    case 'metrics':
      return parseLoad(word, head, rest, body)
    case 'ask':
    case 'await':
      return parseAsk(head, rest, body, word === 'await')
    case 'apdex':
      return parseApdex(rest)
    case 'retention':
      return {
        kind: 'setting',
        method: 'PUT',
        path: 'retention',
        body: { rawDays: Number(rest[0]), aggregateDays: 90 },
      }
    case 'rule':
      return parseRule(rest)
    case 'chart':
      return parseChart(rest)
    case 'acknowledge':
      return { kind: 'acknowledgement', ruleName: unquoted(rest[0] ?? '') }
    default:
      throw new Error(`${JSON.stringify(word)} begins nothing that a scenario has`)
  }
}

function parseLoad(signal: SignalBlock, line: Line, words: string[], lines: Line[]): Load {
  if (lines.length === 0) throw new Error(`no ${signal} follow`)
  return { kind: 'load', line, signal, schedule: scheduleOf(words), lines }
}

/** `at -5m`, or `every 10s from -15m to 0`. */
function scheduleOf(words: string[]): Schedule {
  const after = (word: string) => {
    const index = words.indexOf(word)
    return index === -1 ? undefined : timeOf(words[index + 1] ?? '')
  }
  const [atMs, everyMs, fromMs, toMs] = ['at', 'every', 'from', 'to'].map(after)
  if (atMs !== undefined) return { fromMs: atMs, toMs: atMs + 1, everyMs: 1 }
  if (everyMs === undefined || fromMs === undefined || toMs === undefined)
    throw new Error('a time is missing: at …, or every … from … to …')
  if (everyMs <= 0 || fromMs >= toMs) throw new Error('nothing ever happens then')
  return { fromMs, toMs, everyMs }
}

/** `apdex 300ms shop=100ms`. */
function parseApdex([defaultMs = '', ...services]: string[]): Setting {
  const byService = services.map((word) => word.split('=')).map(([name = '', ms = '']) => [name, timeOf(ms)])
  return {
    kind: 'setting',
    method: 'PUT',
    path: 'apdex',
    body: { defaultMs: timeOf(defaultMs), services: Object.fromEntries(byService) },
  }
}

/** `chart "its title" throughput apdex groupBy=service.name filter.region=eu`. */
function parseChart([title = '', ...rest]: string[]): ChartStep {
  const body: Record<string, unknown> = { title: unquoted(title), metrics: rest.filter((word) => !pairOf(word)) }
  const filter: Record<string, unknown> = {}
  for (const [key, value] of rest.flatMap((word) => [pairOf(word)].filter((pair) => pair !== undefined))) {
    if (key.startsWith('filter.')) filter[key.slice('filter.'.length)] = value
    else body[key] = value
  }
  return { kind: 'chart', body: { ...body, filter } }
}

/** `rule "its name" error_rate > 2 durationMinutes=0`. */
function parseRule([name = '', metric = '', comparator = '', threshold = '', ...rest]: string[]): Setting {
  const optional = Object.fromEntries(rest.map((word) => pairOf(word) ?? [word, true]))
  return {
    kind: 'setting',
    method: 'POST',
    path: 'alert-rules',
    body: { name: unquoted(name), metric, comparator, threshold: Number(threshold), ...optional },
  }
}
