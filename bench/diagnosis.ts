import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { type GeneratedOptions, generatedIncidents } from './diagnosis/generated/generated-incidents.ts'
import type { Incident } from './diagnosis/incidents/incident.ts'
import { recordedIncidents } from './diagnosis/incidents/recorded-incidents.ts'
import { openQuickPlayer } from './diagnosis/play/open-quick-player.ts'
import { openServerPlayer } from './diagnosis/play/open-server-player.ts'
import { fitTables } from './diagnosis/report/fit-tables.ts'
import { incidentLine, incidentStory } from './diagnosis/report/incident-line.ts'
import { markdownOf } from './diagnosis/report/table-of.ts'
import { tablesOf } from './diagnosis/report/tables.ts'
import { evaluate } from './diagnosis/score/evaluate.ts'
import type { Result } from './diagnosis/score/result.ts'
import { numericOption } from './report/numeric-option.ts'
import { say, sayMachine } from './report/progress.ts'
import { printTable } from './report/table.ts'

// How often `/diagnosis` is right: incidents are played, and its answers compared with what is known to be true. The incidents
// are those of the folder that is named, or generated ones where none is.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    times: { type: 'boolean' },
    only: { type: 'string', multiple: true, default: [] },
    verbose: { type: 'boolean', default: false },
    fit: { type: 'boolean', default: false },
    seed: { type: 'string' },
    count: { type: 'string' },
    'quiet-count': { type: 'string' },
    kinds: { type: 'string', multiple: true, default: [] },
    report: { type: 'string', default: join('bench', 'results', 'diagnosis.md') },
  },
  allowNegative: true,
})
const [folder] = positionals
const only = listed(values.only)
const kinds = listed(values.kinds)
const all = folder === undefined ? generatedIncidents(generatedOptions()) : recordedIncidents(folder)
const isListed = (list: string[], name: string) => list.length === 0 || list.includes(name)
const incidents = all.filter(({ label }) => isListed(only, label.id) && isListed(kinds, label.kind))
if (values.fit && !values.quick) throw new Error('--fit needs --quick: a server gives no raw scores')
if (incidents.length === 0) throw new Error('no incident is left to be played')
/** Asking again and again takes ten times as long, so in a hurry it is left out. */
const wantsTimes = values.times ?? !values.quick

sayMachine()
const results = await evaluateAll(incidents)
const tables = values.fit ? fitTables(results) : tablesOf(results)
for (const { title, head, rows, note } of tables) {
  printTable(title, head, rows)
  if (note) console.log(note)
}
mkdirSync(dirname(values.report), { recursive: true })
writeFileSync(values.report, reportText())
say(`the report is in ${values.report}`)

/** Seeds below 1,000 are for development; figures are reported from 10,000 on. */
function generatedOptions(): GeneratedOptions {
  return {
    seed: numericOption('seed', values.seed, 1),
    count: countOption('count', values.count, 46),
    quietCount: countOption('quiet-count', values['quiet-count'], 24),
    kinds,
  }
}

function rawScore(score: number): number {
  return score
}

function countOption(name: string, given: string | undefined, standard: number): number {
  const count = given === undefined ? standard : Number(given)
  if (Number.isInteger(count) && count >= 0) return count
  throw new Error(`--${name} is "${given}": it must be a whole number of at least 0`)
}

function listed(given: string[]): string[] {
  return given.flatMap((text) => text.split(','))
}

async function evaluateAll(all: Incident[]): Promise<Result[]> {
  const player = values.quick ? await openQuickPlayer(values.fit ? rawScore : undefined) : await openServerPlayer()
  const done: Result[] = []
  try {
    for (let from = 0; from < all.length; from += player.atOnce) {
      const some = all.slice(from, from + player.atOnce)
      if (player.atOnce > 1) say(`playing ${some.length} incidents`)
      for (const played of await player.play(some)) {
        const result = await evaluate(played, wantsTimes)
        await played.forget()
        done.push(result)
        say(`${done.length} of ${all.length}: ${values.verbose ? incidentStory(result) : incidentLine(result)}`)
      }
    }
  } finally {
    await player.close()
  }
  return done
}

function reportText(): string {
  const how = values.quick ? 'in one process, in memory' : 'through the real server, over HTTP'
  const { seed, count, quietCount } = generatedOptions()
  const which =
    folder === undefined ? `generated with the seeds ${seed} to ${seed + count + quietCount - 1}` : 'recorded'
  const head = `# Diagnosis: what it gets right\n\n${results.length} incidents, ${which}, played ${how}.\n`
  const details = results.map((result) => `- ${incidentLine(result)}`).join('\n')
  return [head, ...tables.map(markdownOf), `## Each incident\n\n${details}\n`].join('\n')
}
