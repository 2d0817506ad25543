import { type Command, Option } from 'commander'
import type { Static } from 'typebox'
import {
  ALERT_SEVERITIES,
  type AlertRuleSettings,
  COMPARATORS,
  NO_DATA_CHOICES,
  RULE_LIMITS,
  RULE_METRICS,
} from '../../domain/alert-rule.ts'
import type * as schemas from '../../http/schemas/alerts.ts'
import { type ApiCommand, type Asked, addApiCommand } from '../api-command.ts'
import type { Listed } from '../choose-grid.ts'
import { CommandFailed, WrongUsage } from '../failure.ts'
import { decimalNumber, wholeNumber } from '../option-parsers.ts'
import type { Shell } from '../shell.ts'
import { type Column, formatTable } from '../table.ts'

type RuleAnswer = Static<typeof schemas.rule>
type NewRule = Static<typeof schemas.newRule>

export function addRuleCommands(program: Command, shell: Shell): void {
  const rules = program.command('rules').description('alert rules of a Grid')
  addApiCommand(rules, shell, list)
  addApiCommand(rules, shell, show)
  addApiCommand(rules, shell, add)
  addApiCommand(rules, shell, update)
  addApiCommand(rules, shell, remove)
}

const COLUMNS: Column<RuleAnswer>[] = [
  { title: 'RULE', value: (rule) => rule.id },
  { title: 'NAME', value: (rule) => rule.name },
  { title: 'CONDITION', value: (rule) => rule.condition },
  { title: 'SERVICE', value: (rule) => rule.serviceName ?? 'every' },
  { title: 'WINDOW', value: (rule) => `${rule.windowMinutes} min`, align: 'right' },
  { title: 'FOR', value: (rule) => `${rule.durationMinutes} min`, align: 'right' },
  { title: 'SEVERITY', value: (rule) => rule.severity },
  { title: 'ENABLED', value: (rule) => (rule.enabled ? 'yes' : 'no') },
]

const list: ApiCommand<Listed<RuleAnswer>> = {
  usage: 'list',
  about: 'list the alert rules of a Grid',
  onGrid: true,
  ask: (asked) => listRules(asked),
  show: ({ items }) => formatTable(COLUMNS, items),
}

const show: ApiCommand<RuleAnswer> = {
  usage: 'show <rule>',
  about: 'show an alert rule, by id or name',
  onGrid: true,
  ask: async (asked) => asked.client.get(await pathOf(asked, (await ruleOf(asked)).id)),
  show: (rule) => formatTable(COLUMNS, [rule]),
}

interface RuleFlags {
  name?: string
  metric?: string
  comparator?: AlertRuleSettings['comparator']
  threshold?: number
  recovery?: number
  service?: string
  allServices?: true
  window?: number
  duration?: number
  hold?: number
  minRequests?: number
  severity?: AlertRuleSettings['severity']
  withoutData?: AlertRuleSettings['noData']
  channels?: string[]
  enable?: true
  disable?: true
}

const conditionOptions = () => ({
  metric: new Option('--metric <metric>', `${RULE_METRICS.join(', ')}, or the name of a stored metric`),
  comparator: new Option('--comparator <sign>', 'how it compares with the threshold when it is bad').choices(
    COMPARATORS,
  ),
  threshold: new Option('--threshold <n>', 'in percent, ms, requests a second, or minutes of silence').argParser(
    decimalNumber,
  ),
})

const otherOptions = () => [
  new Option('--recovery <n>', 'the threshold of recovery; by default the threshold').argParser(decimalNumber),
  new Option('--service <name>', 'the one service to judge; by default each by itself').conflicts('allServices'),
  new Option('--window <minutes>', 'over which it is judged; by default 5').argParser(minutes(1, 'windowMinutesMax')),
  new Option('--duration <minutes>', 'how long it must hold; by default 2, for silence 0').argParser(
    minutes(0, 'durationMinutesMax'),
  ),
  new Option('--hold <minutes>', 'how long it must have recovered; by default 2').argParser(
    minutes(1, 'holdMinutesMax'),
  ),
  new Option('--min-requests <n>', 'with fewer nothing is judged; by default 20').argParser(
    wholeNumber(1, RULE_LIMITS.minRequestsMax),
  ),
  new Option('--severity <severity>', 'by default warning').choices(ALERT_SEVERITIES),
  new Option('--without-data <choice>', 'what no data means; by default keep').choices(NO_DATA_CHOICES),
  new Option('--channels <list>', 'ids of notification channels, separated by commas').argParser(listOf),
]

function minutes(min: number, limit: 'windowMinutesMax' | 'durationMinutesMax' | 'holdMinutesMax') {
  return wholeNumber(min, RULE_LIMITS[limit])
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

const add: ApiCommand<RuleAnswer, RuleFlags> = {
  usage: 'add <name>',
  about: 'add an alert rule: rules add "Slow carts" --metric p95_latency --comparator ">" --threshold 800',
  onGrid: true,
  options: [
    ...Object.values(conditionOptions()).map((option) => option.makeOptionMandatory()),
    ...otherOptions(),
    new Option('--disable', 'do not judge it yet'),
  ],
  ask: async ({ client, gridPath, args: [name], flags }) =>
    client.post(`/apm/grids/${await gridPath()}/alert-rules`, { ...bodyOf(flags), name }),
  show: (rule) => formatTable(COLUMNS, [rule]),
}

const update: ApiCommand<RuleAnswer, RuleFlags> = {
  usage: 'update <rule>',
  about: 'change an alert rule, by id or name; what is not given stays as it is',
  onGrid: true,
  options: [
    new Option('--name <text>', 'a new name'),
    ...Object.values(conditionOptions()),
    ...otherOptions(),
    new Option('--all-services', 'judge each service by itself'),
    new Option('--enable', 'judge it').conflicts('disable'),
    new Option('--disable', 'do not judge it, and resolve its alerts'),
  ],
  ask: async (asked) => {
    const change = bodyOf(asked.flags)
    if (Object.keys(change).length === 0)
      throw new WrongUsage('Say what is to be changed: see `faultline rules update --help`.')
    const current = await ruleOf(asked)
    const { id, condition, createdAt, updatedAt, recoveryThreshold, ...kept } = current
    // A recovery threshold that was only the threshold goes with it.
    const recovery = recoveryThreshold === current.threshold ? {} : { recoveryThreshold }
    return asked.client.put(await pathOf(asked, id), { ...kept, ...recovery, ...change })
  },
  show: (rule) => formatTable(COLUMNS, [rule]),
}

const remove: ApiCommand<void> = {
  usage: 'remove <rule>',
  about: 'remove an alert rule, by id or name; its alerts are resolved',
  onGrid: true,
  ask: async (asked) => asked.client.remove(await pathOf(asked, (await ruleOf(asked)).id)),
  show: () => 'Removed.',
}

/** What the flags say, and nothing else. */
function bodyOf(flags: RuleFlags): Partial<NewRule> {
  const given = {
    name: flags.name,
    metric: flags.metric,
    comparator: flags.comparator,
    threshold: flags.threshold,
    recoveryThreshold: flags.recovery,
    serviceName: flags.allServices ? null : flags.service,
    windowMinutes: flags.window,
    durationMinutes: flags.duration,
    holdMinutes: flags.hold,
    minRequests: flags.minRequests,
    severity: flags.severity,
    noData: flags.withoutData,
    channels: flags.channels,
    enabled: flags.disable ? false : flags.enable,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

async function listRules<Flags>({ client, gridPath }: Asked<Flags>): Promise<Listed<RuleAnswer>> {
  return client.get(`/apm/grids/${await gridPath()}/alert-rules`)
}

async function ruleOf<Flags>(asked: Asked<Flags>): Promise<RuleAnswer> {
  const [named = ''] = asked.args
  const { items } = await listRules(asked)
  const rule = items.find(({ id }) => id === named) ?? items.find(({ name }) => name === named)
  if (rule === undefined) throw new CommandFailed(`This Grid has no alert rule ${named}.`)
  return rule
}

async function pathOf<Flags>({ gridPath }: Asked<Flags>, ruleId: string): Promise<string> {
  return `/apm/grids/${await gridPath()}/alert-rules/${encodeURIComponent(ruleId)}`
}
