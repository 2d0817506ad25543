import { parseArgs } from 'node:util'
import { SpanColumns } from '../server/domain/columns/span-columns.ts'
import { PRIVACY_PLACES, type PrivacyRuleSettings } from '../server/domain/privacy-rule.ts'
import { decodeTraces } from '../server/ingest/otlp/decode-traces.ts'
import { createRedactor, type Redactor } from '../server/ingest/otlp/privacy/redactor.ts'
import { SpanGenerator } from './load/span-generator.ts'
import { windowTimes } from './load/window-times.ts'
import { numericOption } from './report/numeric-option.ts'
import { say, sayMachine } from './report/progress.ts'
import { figure, printFigures } from './report/table.ts'

// What privacy rules cost where spans come in, beside decoding them.
const { values } = parseArgs({ options: { seconds: { type: 'string' }, 'batch-spans': { type: 'string' } } })
const durationMs = numericOption('seconds', values.seconds, 3) * 1000
const spansPerBatch = numericOption('batch-spans', values['batch-spans'], 512)
const BATCHES = 80
const DAY_NS = 86_400_000_000_000n

const POLICIES: Record<string, Partial<PrivacyRuleSettings>[]> = {
  'no rules': [],
  'a key that nobody sends': [{ key: 'customer.id' }],
  'ten keys with *': Array.from({ length: 10 }, (_, i) => ({ key: `*.secret${i}.*` })),
  'a key that every request has, hashed': [{ key: 'http.route', action: 'hash' }],
  'mail addresses': [{ preset: 'emails' }],
  'card numbers': [{ preset: 'cards' }],
  secrets: [{ preset: 'secrets' }],
  'all presets': [{ preset: 'emails' }, { preset: 'cards' }, { preset: 'secrets' }],
  'a pattern': [{ pattern: 'cust-[0-9]{4,8}' }],
  'five patterns': [
    'cust-[0-9]{4,8}',
    '(?i)iban [a-z]{2}',
    '[A-Z]{2}\\d{2}[A-Z0-9]{11,30}',
    '\\d{3}-\\d{2}-\\d{4}',
    'x+y',
  ].map((pattern) => ({ pattern })),
}

sayMachine()
const load = { url: '', apiKey: '', connections: 1, seed: 5, spansPerBatch }
const generator = new SpanGenerator({ ...load, timeOf: windowTimes(load) })
const bodies = Array.from(
  { length: BATCHES },
  () => generator.next(Buffer.allocUnsafeSlow(generator.bodyBytesMax)).body,
)
const columns = new SpanColumns()

const figures = Object.entries(POLICIES).map(([name, rules]) => {
  say(name)
  const redactor = createRedactor({ rules: rules.map(ruleOf), hashSecret: 'secret' })
  measure(redactor, durationMs / 3)
  return { name, usPerSpan: measure(redactor, durationMs) }
})
const bareUs = figures[0]?.usPerSpan ?? 0
printFigures('Decoding a span', [
  figure('no rules', bareUs, 'µs'),
  ...figures.slice(1).map(({ name, usPerSpan }) => figure(`more with ${name}`, usPerSpan - bareUs, 'µs')),
])

function ruleOf(rule: Partial<PrivacyRuleSettings>): PrivacyRuleSettings {
  const nothing = { name: '', key: null, pattern: null, preset: null, action: 'redact' as const, enabled: true }
  return { ...nothing, places: [...PRIVACY_PLACES], ...rule }
}

function measure(redactor: Redactor | undefined, forMs: number): number {
  const nowNs = BigInt(Date.now()) * 1_000_000n
  const limits = { oldestNs: nowNs - DAY_NS, newestNs: nowNs + DAY_NS, nowNs }
  const startedMs = performance.now()
  let spans = 0
  for (let i = 0; performance.now() - startedMs < forMs; i++) {
    const body = bodies[i % BATCHES] as Buffer
    decodeTraces(redactor?.redacted('traces', body) ?? body, limits, columns)
    spans += columns.length
  }
  return ((performance.now() - startedMs) * 1000) / spans
}
