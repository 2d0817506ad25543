import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { parseScenarios } from './parse-scenarios.ts'
import { runScenarios } from './run-scenarios.ts'
import type { Scenario } from './scenario.ts'

const files = (await readdir(import.meta.dirname)).filter((name) => name.endsWith('.scenario')).sort()
/** Part of a file's name or of a title, to run only some. */
const { SCENARIO: wanted = '' } = process.env
const scenarios = await Promise.all(
  files.map(async (file) => {
    const all = parseScenarios(file, await readFile(join(import.meta.dirname, file), 'utf8'))
    return all.filter(({ title }) => `${file} ${title}`.includes(wanted))
  }),
)

let folder: string
let failures: Map<Scenario, string[]>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-scenarios-'))
  failures = await runScenarios(scenarios.flat(), join(folder, 'data'))
}, 600_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

const byFile = scenarios.flatMap((ofFile) => (ofFile[0] ? [[ofFile[0].file, ofFile] as const] : []))
describe.each(byFile)('%s', (_, ofFile) => {
  it.each(ofFile.map((scenario) => [scenario.title, scenario] as const))('%s', (_, scenario) => {
    const found = failures.get(scenario) ?? ['was not run']
    if (found.length > 0) throw new Error(`\n${found.join('\n\n')}`)
  })
})
