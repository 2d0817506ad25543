import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Static } from 'typebox'
import { PRIVACY_ACTIONS, PRIVACY_PLACES, PRIVACY_PRESETS, type PrivacyPlace } from '../../domain/privacy-rule.ts'
import type * as schemas from '../../http/schemas/privacy.ts'
import { type ApiCommand, type Asked, addApiCommand } from '../api-command.ts'
import type { Listed } from '../choose-grid.ts'
import { CommandFailed, WrongUsage } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { type Column, formatTable } from '../table.ts'
import { addDeletionCommands } from './deletion-commands.ts'

type RuleAnswer = Static<typeof schemas.privacyRule>
type NewRule = Static<typeof schemas.newPrivacyRule>

export function addPrivacyCommands(program: Command, shell: Shell): void {
  const privacy = program.command('privacy').description('what a Grid hides of its telemetry before it is kept')
  addApiCommand(privacy, shell, list)
  addApiCommand(privacy, shell, show)
  addApiCommand(privacy, shell, add)
  addApiCommand(privacy, shell, update)
  addApiCommand(privacy, shell, remove)
  addDeletionCommands(privacy, shell)
}

const COLUMNS: Column<RuleAnswer>[] = [
  { title: 'RULE', value: (rule) => rule.id },
  { title: 'NAME', value: (rule) => rule.name },
  { title: 'KEY', value: (rule) => rule.key ?? 'every' },
  { title: 'FINDS', value: (rule) => rule.preset ?? rule.pattern ?? 'whole values' },
  { title: 'ACTION', value: (rule) => rule.action },
  { title: 'PLACES', value: ({ places }) => (places.length < PRIVACY_PLACES.length ? places.join(', ') : 'every') },
  { title: 'ENABLED', value: (rule) => (rule.enabled ? 'yes' : 'no') },
]

const list: ApiCommand<Listed<RuleAnswer>> = {
  usage: 'list',
  about: 'list the privacy rules of a Grid, in the order in which they are applied',
  onGrid: true,
  ask: (asked) => listRules(asked),
  show: ({ items }) => formatTable(COLUMNS, items),
}

const show: ApiCommand<RuleAnswer> = {
  usage: 'show <rule>',
  about: 'show a privacy rule, by id or name',
  onGrid: true,
  ask: async (asked) => asked.client.get(await pathOf(asked, (await ruleOf(asked)).id)),
  show: (rule) => formatTable(COLUMNS, [rule]),
}

interface RuleFlags {
  name?: string
  key?: string
  pattern?: string
  preset?: NonNullable<NewRule['preset']>
  places?: PrivacyPlace[]
  action?: NewRule['action']
  enable?: true
  disable?: true
}

const ruleOptions = () => [
  new Option('--key <key>', 'attributes with this key; * stands for any characters'),
  new Option('--pattern <regex>', 'what is hidden in texts, in the syntax of RE2').conflicts('preset'),
  new Option('--preset <preset>', 'what is hidden in texts').choices(PRIVACY_PRESETS),
  new Option('--places <list>', `where, separated by commas: ${PRIVACY_PLACES.join(', ')}`).argParser(placesOf),
]

const actionOption = () =>
  new Option('--action <action>', 'put a mark in its place, or a hash that is the same for equal texts').choices(
    PRIVACY_ACTIONS,
  )

function placesOf(text: string): PrivacyPlace[] {
  return text.split(',').map((item) => {
    const place = PRIVACY_PLACES.find((known) => known === item.trim())
    if (place === undefined) throw new InvalidArgumentError(`One or more of ${PRIVACY_PLACES.join(', ')} are needed.`)
    return place
  })
}

const add: ApiCommand<RuleAnswer, RuleFlags> = {
  usage: 'add <name>',
  about: 'add a privacy rule: privacy add Customers --key "customer.*" --action hash',
  onGrid: true,
  options: [...ruleOptions(), actionOption().default('redact'), new Option('--disable', 'do not apply it yet')],
  ask: async ({ client, gridPath, args: [name], flags }) =>
    client.post(`/apm/grids/${await gridPath()}/privacy-rules`, { ...bodyOf(flags), name }),
  show: (rule) => formatTable(COLUMNS, [rule]),
}

const update: ApiCommand<RuleAnswer, RuleFlags> = {
  usage: 'update <rule>',
  about: 'change a privacy rule, by id or name; what is not given stays as it is',
  onGrid: true,
  options: [
    new Option('--name <text>', 'a new name'),
    ...ruleOptions(),
    actionOption(),
    new Option('--enable', 'apply it').conflicts('disable'),
    new Option('--disable', 'do not apply it'),
  ],
  ask: async (asked) => {
    const change = bodyOf(asked.flags)
    if (Object.keys(change).length === 0)
      throw new WrongUsage('Say what is to be changed: see `faultline privacy update --help`.')
    const { id, createdAt, updatedAt, ...kept } = await ruleOf(asked)
    return asked.client.put(await pathOf(asked, id), { ...kept, ...replacing(change), ...change })
  },
  show: (rule) => formatTable(COLUMNS, [rule]),
}

/** A rule finds one thing: a pattern takes the place of a preset, and the other way round. */
function replacing({ pattern, preset }: Partial<NewRule>): Partial<NewRule> {
  if (pattern !== undefined) return { preset: null }
  return preset !== undefined ? { pattern: null } : {}
}

const remove: ApiCommand<void> = {
  usage: 'remove <rule>',
  about: 'remove a privacy rule, by id or name; what it has hidden stays hidden',
  onGrid: true,
  ask: async (asked) => asked.client.remove(await pathOf(asked, (await ruleOf(asked)).id)),
  show: () => 'Removed.',
}

/** What the flags say, and nothing else. */
function bodyOf({ name, key, pattern, preset, places, action, enable, disable }: RuleFlags): Partial<NewRule> {
  const given = { name, key, pattern, preset, places, action, enabled: disable ? false : enable }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

async function listRules<Flags>({ client, gridPath }: Asked<Flags>): Promise<Listed<RuleAnswer>> {
  return client.get(`/apm/grids/${await gridPath()}/privacy-rules`)
}

async function ruleOf<Flags>(asked: Asked<Flags>): Promise<RuleAnswer> {
  const [named = ''] = asked.args
  const { items } = await listRules(asked)
  const rule = items.find(({ id }) => id === named) ?? items.find(({ name }) => name === named)
  if (rule === undefined) throw new CommandFailed(`This Grid has no privacy rule ${named}.`)
  return rule
}

async function pathOf<Flags>({ gridPath }: Asked<Flags>, ruleId: string): Promise<string> {
  return `/apm/grids/${await gridPath()}/privacy-rules/${encodeURIComponent(ruleId)}`
}
