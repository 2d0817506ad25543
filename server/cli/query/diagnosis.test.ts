import { expect, it } from 'vitest'
import { diagnosis } from './diagnosis.ts'

it('shows each cause with who suffers and why it is believed', () => {
  const text = diagnosis.show(
    {
      diagnoses: [
        {
          cause: 'Connection pool exhaustion in payments (pay-primary)',
          confidence: 0.88,
          severity: 'critical',
          affectedServices: ['payments', 'checkout', 'web'],
          evidence: ['97 of 100 bad requests looked at failed with PoolTimeout', 'a message that\nbreaks'],
          firstDetected: '2026-03-01T10:20:00.000Z',
          impactedTraceCount: 412,
        },
        {
          cause: 'Slow code in search',
          confidence: 0.5,
          severity: 'warning',
          affectedServices: ['search'],
          evidence: ['p95 is up'],
          firstDetected: '2026-03-01T10:21:00.000Z',
          impactedTraceCount: 1,
        },
      ],
    },
    {},
  )
  expect(text).toMatchInlineSnapshot(`
    "Connection pool exhaustion in payments (pay-primary)
      critical, 88 % sure, since 2026-03-01T10:20:00.000Z, 412 traces
      affects payments ← checkout ← web
      · 97 of 100 bad requests looked at failed with PoolTimeout
      · a message that\\nbreaks

    Slow code in search
      warning, 50 % sure, since 2026-03-01T10:21:00.000Z, 1 trace
      affects search
      · p95 is up"
  `)
})

it('says so where nothing is wrong', () => {
  expect(diagnosis.show({ diagnoses: [] }, {})).toBe('Nothing is wrong that telemetry shows.')
})
