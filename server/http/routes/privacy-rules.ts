import type { ControlStore } from '../../control/control-store.ts'
import { PRIVACY_LIMITS, type PrivacyPolicy } from '../../domain/privacy-rule.ts'
import { MANAGES_GRID } from '../access.ts'
import type { Routes } from '../endpoint.ts'
import { listAnswer } from '../management-answers.ts'
import { privacyRuleAnswer, privacyRuleSettingsOf } from '../privacy-answers.ts'
import { Problem } from '../problem.ts'
import { listOf } from '../schemas/management.ts'
import * as schemas from '../schemas/privacy.ts'

/** Applies rules to what comes in from now on. */
export interface PrivacyRulesApplied {
  setPrivacy(gridId: string, policy: PrivacyPolicy): Promise<void>
}

const ALL = '/apm/grids/{gridSecondaryId}/privacy-rules'
const PRIVACY = { tag: 'Privacy', access: MANAGES_GRID } as const
const OF_RULE = {
  path: `${ALL}/{privacyRuleId}`,
  params: { privacyRuleId: schemas.privacyRuleId },
  problems: ['unknown-privacy-rule' as const],
}

const HOW_RULES_ARE_APPLIED = `Rules are applied to spans, log records and metric points as they come in, before anything of them is written to disk, from the moment of the answer on. What was stored before stays as it is. Where several rules want to replace the same value as a whole, the oldest does; what is found in texts is replaced by one rule after another, the oldest first. A Grid may have ${PRIVACY_LIMITS.rulesPerGridMax} of them.`

export function registerPrivacyRules(
  { onGrid }: Routes,
  { privacy }: ControlStore,
  applied: PrivacyRulesApplied,
): void {
  let lastApplied: Promise<void> = Promise.resolve()
  /** One after another, so that the rules that were read last are also set last. */
  const apply = (gridId: string) => {
    const next = async () => applied.setPrivacy(gridId, await privacy.policy(gridId))
    lastApplied = lastApplied.then(next, next)
    return lastApplied
  }

  onGrid(
    {
      ...PRIVACY,
      method: 'GET',
      path: ALL,
      summary: 'List privacy rules',
      description: 'In the order in which they are applied.',
      response: listOf(schemas.privacyRule),
    },
    async ({ grid }) => listAnswer((await privacy.list(grid.id)).map(privacyRuleAnswer)),
  )

  onGrid(
    { ...PRIVACY, ...OF_RULE, method: 'GET', summary: 'Get a privacy rule', response: schemas.privacyRule },
    async ({ grid, params: { privacyRuleId } }) =>
      privacyRuleAnswer((await privacy.find(grid.id, privacyRuleId)) ?? unknownRule()),
  )

  onGrid(
    {
      ...PRIVACY,
      method: 'POST',
      path: ALL,
      summary: 'Create a privacy rule',
      description: `Hides values: of attributes with a \`key\`, what a \`pattern\` or a \`preset\` finds in texts, or what it finds in attributes with a key. ${HOW_RULES_ARE_APPLIED}`,
      body: schemas.newPrivacyRule,
      response: schemas.privacyRule,
      created: true,
      problems: ['already-exists'],
    },
    async ({ grid, body }) => {
      const made = await privacy.create(grid.id, privacyRuleSettingsOf(body))
      await apply(grid.id)
      return privacyRuleAnswer(made)
    },
  )

  onGrid(
    {
      ...PRIVACY,
      ...OF_RULE,
      method: 'PUT',
      summary: 'Change a privacy rule',
      description: 'Takes the rule as a whole: what is left out gets its default. Its place in the order stays.',
      body: schemas.newPrivacyRule,
      response: schemas.privacyRule,
      problems: ['unknown-privacy-rule', 'already-exists'],
    },
    async ({ grid, params: { privacyRuleId }, body, nowMs }) => {
      const settings = privacyRuleSettingsOf(body)
      const changed = (await privacy.update(grid.id, privacyRuleId, settings, nowMs)) ?? unknownRule()
      await apply(grid.id)
      return privacyRuleAnswer(changed)
    },
  )

  onGrid(
    { ...PRIVACY, ...OF_RULE, method: 'DELETE', summary: 'Remove a privacy rule', response: null },
    async ({ grid, params: { privacyRuleId } }) => {
      if (!(await privacy.remove(grid.id, privacyRuleId))) unknownRule()
      await apply(grid.id)
    },
  )
}

function unknownRule(): never {
  throw new Problem('unknown-privacy-rule', 'This Grid has no such privacy rule.')
}
