/** What is looked for without a pattern of one's own. */
export const PRIVACY_PRESETS = ['secrets', 'cards', 'emails'] as const
export type PrivacyPreset = (typeof PRIVACY_PRESETS)[number]

/**
 * Where a rule looks. Attributes of spans include those of their events and links; the texts of a span are its name, its trace
 * state, the message of its status and the names of its events.
 */
export const PRIVACY_PLACES = [
  'span-attributes',
  'span-texts',
  'resource-attributes',
  'log-attributes',
  'log-bodies',
  'metric-attributes',
] as const
export type PrivacyPlace = (typeof PRIVACY_PLACES)[number]

/** A redacted text is replaced by a mark, a hashed one by what is the same for equal texts and tells nothing else. */
export const PRIVACY_ACTIONS = ['redact', 'hash'] as const
export type PrivacyAction = (typeof PRIVACY_ACTIONS)[number]

/** A rule with a key only replaces whole values. One with a pattern or a preset replaces what it finds in texts. */
export interface PrivacyRuleSettings {
  name: string
  /** Of attributes, in whatever case; `*` stands for any characters. Null for every key. */
  key: string | null
  /** In the syntax of RE2. */
  pattern: string | null
  preset: PrivacyPreset | null
  places: PrivacyPlace[]
  action: PrivacyAction
  enabled: boolean
}

export interface PrivacyRule extends PrivacyRuleSettings {
  id: string
  gridId: string
  createdAtMs: number
  updatedAtMs: number
}

/** All that is needed to apply the rules of a Grid. */
export interface PrivacyPolicy {
  /** In the order in which they are applied. */
  rules: PrivacyRuleSettings[]
  /** What hashes are made with; nobody can guess values from them without it. */
  hashSecret: string
}

export const PRIVACY_LIMITS = {
  rulesPerGridMax: 50,
  nameCharsMax: 200,
  keyCharsMax: 200,
  patternCharsMax: 500,
} as const

/** What is wrong with a rule apart from its pattern's syntax, in a sentence. */
export function privacyRuleFaultOf({ key, pattern, preset }: PrivacyRuleSettings): string | undefined {
  if (key === null && pattern === null && preset === null) return 'A rule needs a key, a pattern or a preset.'
  if (pattern !== null && preset !== null) return 'A rule has either a pattern or a preset: make two rules.'
  if (key !== null && /^[*.]*$/.test(key)) return 'key must name more than every attribute.'
  return undefined
}
