import type { Static } from 'typebox'
import { RecordRefused } from '../control/record-refused.ts'
import {
  PRIVACY_PLACES,
  type PrivacyRule,
  type PrivacyRuleSettings,
  privacyRuleFaultOf,
} from '../domain/privacy-rule.ts'
import { patternFaultOf } from '../privacy/find-pattern.ts'
import type * as schemas from './schemas/privacy.ts'

export function privacyRuleAnswer(rule: PrivacyRule): Static<typeof schemas.privacyRule> {
  const { gridId, createdAtMs, updatedAtMs, ...settings } = rule
  return { ...settings, createdAt: isoOfMs(createdAtMs), updatedAt: isoOfMs(updatedAtMs) }
}

/** What was left out of a rule has its default. Refuses a rule that could not be applied. */
export function privacyRuleSettingsOf(body: Static<typeof schemas.newPrivacyRule>): PrivacyRuleSettings {
  const rule = { key: null, pattern: null, preset: null, places: [...PRIVACY_PLACES], enabled: true, ...body }
  const fault = privacyRuleFaultOf(rule)
  if (fault !== undefined) throw new RecordRefused(fault)
  const patternFault = rule.pattern === null ? undefined : patternFaultOf(rule.pattern)
  if (patternFault !== undefined) throw new RecordRefused(`pattern ${patternFault}`)
  return rule
}

function isoOfMs(ms: number): string {
  return new Date(ms).toISOString()
}
