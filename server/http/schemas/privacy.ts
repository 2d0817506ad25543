import Type from 'typebox'
import { PRIVACY_ACTIONS, PRIVACY_LIMITS, PRIVACY_PLACES, PRIVACY_PRESETS } from '../../domain/privacy-rule.ts'
import { datetimeOut, fields, name, orNull } from './values.ts'

const ruleFields = {
  name: name('What the rule is called; no other privacy rule of the Grid is.', PRIVACY_LIMITS.nameCharsMax),
  key: orNull(
    name(
      'Attributes that the rule looks at, by key in whatever case; `*` stands for any characters. A key inside of a value is known by its own name and by all names with dots between them. Null, the default, for every attribute, and texts that are no attributes.',
      PRIVACY_LIMITS.keyCharsMax,
    ),
  ),
  pattern: orNull(
    name(
      'What is replaced in texts, as a regular expression in the syntax of RE2, which has neither back references nor looking around. Null, the default, where whole values are replaced, or what the preset finds.',
      PRIVACY_LIMITS.patternCharsMax,
    ),
  ),
  preset: orNull(
    Type.Enum(PRIVACY_PRESETS, {
      description:
        'What is replaced in texts: `secrets` (passwords, keys and tokens, and whole values of attributes whose keys tell that they are such), `cards` (numbers of payment cards with a right check digit), `emails` (mail addresses). Null is the default.',
    }),
  ),
  places: Type.Array(Type.Enum(PRIVACY_PLACES), {
    description:
      'Where the rule looks; by default everywhere. `span-attributes` are those of spans, their events and links; `span-texts` are names of spans and events, messages of statuses, and trace states.',
    minItems: 1,
    maxItems: PRIVACY_PLACES.length,
    uniqueItems: true,
  }),
  action: Type.Enum(PRIVACY_ACTIONS, {
    description:
      '`redact` puts `[redacted]` in its place, `hash` a hash with a secret of the Grid (`hash:` and 24 hex digits), the same for equal texts.',
  }),
  enabled: Type.Boolean({ description: 'By default true.' }),
}

export const newPrivacyRule = fields({
  name: ruleFields.name,
  key: Type.Optional(ruleFields.key),
  pattern: Type.Optional(ruleFields.pattern),
  preset: Type.Optional(ruleFields.preset),
  places: Type.Optional(ruleFields.places),
  action: ruleFields.action,
  enabled: Type.Optional(ruleFields.enabled),
})

export const privacyRule = fields({
  id: Type.String(),
  ...ruleFields,
  createdAt: datetimeOut(),
  updatedAt: datetimeOut(),
})

export const privacyRuleId = name('A privacy rule, by its id.')
