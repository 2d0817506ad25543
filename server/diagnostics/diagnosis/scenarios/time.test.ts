import { describe, expect, it } from 'vitest'
import { atNs } from '../../../storage/conformance/test-time.ts'
import { inService, slowing, throwing } from '../testing/fault.ts'
import { incident, ONSET, secondsAfterOnset } from '../testing/incident.ts'

const FAILURE = { type: 'IllegalStateException', message: 'no session' }
const causes = async (...args: Parameters<typeof incident>) => (await incident(...args)).map(({ cause }) => cause)

describe('an incident', () => {
  const fault = throwing(inService('payments', ONSET, ONSET + 5), 0.5, FAILURE)
  const minutes = ONSET + 40

  it('is not seen before it begins', async () => {
    expect(await causes([fault], { atMinute: ONSET, minutes })).toEqual([])
  })

  it('is seen two minutes after it began', async () => {
    const [diagnosis] = await incident([fault], { atMinute: ONSET + 2, minutes })
    expect(diagnosis?.cause).toBe('Exception in payments (IllegalStateException)')
    expect(Math.abs(secondsAfterOnset(diagnosis as NonNullable<typeof diagnosis>, atNs(ONSET * 60_000)))).toBeLessThan(
      60,
    )
  })

  it('is seen in a window that it recovered in, and not in a later one', async () => {
    expect(await causes([fault], { atMinute: ONSET + 9, minutes })).toEqual([
      'Exception in payments (IllegalStateException)',
    ])
    expect(await causes([fault], { atMinute: ONSET + 30, minutes })).toEqual([])
    expect(await causes([fault], { atMinute: ONSET + 30, windowMinutes: 30, minutes })).toEqual([
      'Exception in payments (IllegalStateException)',
    ])
  })

  it('is seen in a window of hours', async () => {
    expect(await causes([fault], { atMinute: ONSET + 40, windowMinutes: 70, minutes })).toEqual([
      'Exception in payments (IllegalStateException)',
    ])
  })

  it('that lasts longer than the window is seen, with its onset', async () => {
    const lasting = throwing(inService('payments', ONSET), 0.5, FAILURE)
    const [diagnosis] = await incident([lasting], { atMinute: ONSET + 25 })
    expect(diagnosis?.cause).toBe('Exception in payments (IllegalStateException)')
    expect(Math.abs(secondsAfterOnset(diagnosis as NonNullable<typeof diagnosis>, atNs(ONSET * 60_000)))).toBeLessThan(
      60,
    )
  })

  it('of the baseline does not hide a later one', async () => {
    const later = throwing(inService('payments', ONSET + 25), 0.3, FAILURE)
    const [diagnosis] = await incident([fault, later], { atMinute: ONSET + 30, windowMinutes: 10 })
    expect(diagnosis?.cause).toBe('Exception in payments (IllegalStateException)')
    expect(secondsAfterOnset(diagnosis as NonNullable<typeof diagnosis>, atNs((ONSET + 25) * 60_000))).toBeGreaterThan(
      -60,
    )
  })
})

it('two incidents at once are two diagnoses, those who see errors first', async () => {
  const found = await incident([
    throwing(inService('cart', ONSET), 0.3, FAILURE),
    slowing(inService('search', ONSET + 1), 150),
  ])
  expect(found.map(({ cause, severity }) => [cause, severity])).toEqual([
    ['Exception in cart (IllegalStateException)', 'critical'],
    ['Slow code in search (GET /search)', 'warning'],
  ])
  expect(found[1]?.affectedServices).toEqual(['search', 'web'])
})

it('an incident that goes on comes before one that is over, however bad that was', async () => {
  const over = throwing(inService('cart', ONSET, ONSET + 4), 0.5, FAILURE)
  const found = await incident([over, slowing(inService('search', ONSET + 6), 150)], { atMinute: ONSET + 10 })
  expect(found.map(({ cause, severity }) => [cause, severity])).toEqual([
    ['Slow code in search (GET /search)', 'warning'],
    ['Exception in cart (IllegalStateException)', 'critical'],
  ])
})

it('with hardly any baseline the calm part of the window serves', async () => {
  const fault = throwing(inService('payments', 9), 0.6, FAILURE)
  expect(await causes([fault], { atMinute: 13 })).toEqual(['Exception in payments (IllegalStateException)'])
})

it('few requests suffice where they say enough', async () => {
  const fault = throwing(inService('payments', ONSET), 0.9, FAILURE)
  expect(await causes([fault], { requestsPerMinute: 10 })).toEqual(['Exception in payments (IllegalStateException)'])
})
