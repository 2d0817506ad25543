import type { PrivacyPolicy, PrivacyRule, PrivacyRuleSettings } from '../domain/privacy-rule.ts'

/** Rules by which values are hidden before they are kept. */
export interface PrivacyStore {
  /** Comes last in the order. Fails with `AlreadyExists` where the name is taken, and with `RecordRefused` where there are too many. */
  create(gridId: string, rule: PrivacyRuleSettings): Promise<PrivacyRule>
  find(gridId: string, id: string): Promise<PrivacyRule | undefined>
  /** In the order in which they are applied, which is that in which they were made. */
  list(gridId: string): Promise<PrivacyRule[]>
  /** Undefined where there is no such rule. */
  update(gridId: string, id: string, rule: PrivacyRuleSettings, nowMs: number): Promise<PrivacyRule | undefined>
  /** False where there is no such rule. */
  remove(gridId: string, id: string): Promise<boolean>
  /** The rules with the Grid's own secret, which is made with the first rule and never changes. */
  policy(gridId: string): Promise<PrivacyPolicy>
  /** Undefined where the Grid never had a rule. */
  hashSecretOf(gridId: string): Promise<string | undefined>
}
