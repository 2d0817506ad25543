import type { PrivacyPlace, PrivacyPolicy, PrivacyPreset, PrivacyRuleSettings } from '../domain/privacy-rule.ts'
import { findCards } from './find-cards.ts'
import { findEmails } from './find-emails.ts'
import { createPatternFinder } from './find-pattern.ts'
import { findSecrets, isSecretKey } from './find-secrets.ts'
import { keyPattern } from './key-pattern.ts'
import { createMask, type Mask } from './mask.ts'
import type { TextFinder } from './text-finder.ts'

const PRESETS: Record<PrivacyPreset, TextFinder> = { secrets: findSecrets, cards: findCards, emails: findEmails }

interface CompiledRule {
  matchesKey: ((key: string) => boolean) | undefined
  /** Undefined where whole values are meant. */
  finder: TextFinder | undefined
  /** Keys whose whole values are meant although the rule has a finder. */
  isTelling: (key: string) => boolean
  mask: Mask
}

/** What becomes of the value of one key. */
export interface KeyPlan {
  /** Of the whole value. */
  mask: Mask | undefined
  /** Of what is found in texts, in this order; empty where the whole value is masked. */
  texts: TextPlan
}

/** What is done to a text. */
export interface TextPlan {
  /** A number with fewer digits stays as it is; infinite where none is touched. */
  digitsMin: number
  steps: { finder: TextFinder; mask: Mask }[]
}

/** The rules of a Grid that look at one place. */
export class PlacePlan {
  /** For texts that have no key. */
  readonly texts: TextPlan
  private readonly rules: CompiledRule[]
  /** Keys that the same rules mean share a plan, so that what is known of a text is known for all of them. */
  private readonly textPlans = new Map<string, TextPlan>()

  constructor(rules: CompiledRule[]) {
    this.rules = rules
    this.texts = this.textPlan(rules.filter((rule) => rule.matchesKey === undefined))
  }

  /** Of a key by its names: its own comes last, those of the keys whose values it lies in before. A key inside a value is also known by all names with dots between them. */
  ofNames(names: readonly string[]): KeyPlan {
    const keys = [...names, ...names.slice(1).map((_, i) => names.slice(0, i + 2).join('.'))]
    const meant = this.rules.filter(({ matchesKey }) => matchesKey === undefined || keys.some(matchesKey))
    const whole = meant.find(({ finder, isTelling }) => finder === undefined || keys.some(isTelling))
    return { mask: whole?.mask, texts: this.textPlan(whole ? [] : meant) }
  }

  private textPlan(rules: CompiledRule[]): TextPlan {
    const name = rules.map((rule) => this.rules.indexOf(rule)).join()
    const known = this.textPlans.get(name)
    if (known !== undefined) return known
    const steps = rules.flatMap(({ finder, mask }) => (finder ? [{ finder, mask }] : []))
    const plan = { steps, digitsMin: Math.min(...steps.map(({ finder }) => finder.digitsMin)) }
    this.textPlans.set(name, plan)
    return plan
  }
}

/** The very text where nothing is found in it. */
export function maskedText(text: string, { steps }: TextPlan): string {
  let masked = text
  for (const { finder, mask } of steps) masked = finder.replace(masked, mask)
  return masked
}

/** Undefined for a place that no rule looks at. */
export type CompiledPolicy = (place: PrivacyPlace) => PlacePlan | undefined

export function compilePolicy({ rules, hashSecret }: PrivacyPolicy): CompiledPolicy {
  const compiled = rules
    .filter(({ enabled }) => enabled)
    .map((rule) => ({ places: rule.places, rule: compiledRule(rule, hashSecret) }))
  const plans = new Map<PrivacyPlace, PlacePlan>()
  for (const place of new Set(compiled.flatMap(({ places }) => places)))
    plans.set(place, new PlacePlan(compiled.filter(({ places }) => places.includes(place)).map(({ rule }) => rule)))
  return (place) => plans.get(place)
}

function compiledRule({ key, pattern, preset, action }: PrivacyRuleSettings, hashSecret: string): CompiledRule {
  return {
    matchesKey: key === null ? undefined : keyPattern(key),
    finder: preset !== null ? PRESETS[preset] : pattern !== null ? createPatternFinder(pattern) : undefined,
    isTelling: preset === 'secrets' ? isSecretKey : () => false,
    mask: createMask(action, hashSecret),
  }
}
