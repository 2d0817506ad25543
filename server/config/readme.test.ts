import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { flagOf, SETTINGS, type Setting } from './settings.ts'

const README = join(import.meta.dirname, '..', '..', 'README.md')

test("the README's table of settings is the one there is (vitest -u writes it)", async () => {
  const readme = readFileSync(README, 'utf8')
  const withTable = readme.replace(
    /(<!-- settings:.*-->\n).*(<!-- \/settings -->)/s,
    (_all, opening, closing) => `${opening}${settingsTable()}${closing}`,
  )
  await expect(withTable).toMatchFileSnapshot(README)
})

function settingsTable(): string {
  const rows: Setting<unknown>[] = Object.values(SETTINGS)
  return [
    '| Variable | Flag | Default | Meaning |',
    '|---|---|---|---|',
    ...rows.map((row) => {
      const shownDefault = row.default ? `\`${row.default}\`` : ''
      return `| \`${row.variable}\` | \`${flagOf(row)}\` | ${shownDefault} | ${row.description} |`
    }),
    '',
  ].join('\n')
}
