import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { createIntake, REQUEST_BYTES_MAX } from './intake.ts'
import { createIntakeMeasures } from './intake-measures.ts'
import { Refusal } from './refusal.ts'

const MIB = 1024 * 1024
const grid = { id: 'g', ingestQuota: null }

function open(budgetBytes?: number) {
  let nowMs = 0
  const registry = new Registry()
  const measures = createIntakeMeasures(registry)
  const intake = createIntake({ measures, clock: () => nowMs, ...(budgetBytes ? { budgetBytes } : {}) })
  const inFlight = async () =>
    (await registry.getSingleMetric('faultline_otlp_in_flight_bytes')?.get())?.values[0]?.value
  return { intake, inFlight, advance: (ms: number) => (nowMs += ms) }
}

function refusalOf(step: () => unknown): Refusal | undefined {
  try {
    step()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  return undefined
}

describe('the intake', () => {
  it('takes a request of the largest size when it is idle', () => {
    const { intake } = open()
    const reservation = intake.enter(grid, REQUEST_BYTES_MAX)
    for (let mib = 0; mib < 64; mib++) reservation.add(MIB)
  })

  it('takes a request alone even where its budget is smaller than the request', () => {
    const { intake } = open(MIB)
    expect(refusalOf(() => intake.enter(grid, 8 * MIB).add(8 * MIB))).toBeUndefined()
  })

  it('refuses a newcomer at once when the budget is spent, and takes it when there is room again', () => {
    const { intake } = open(10 * MIB)
    const first = intake.enter(grid)
    first.add(10 * MIB)
    const refusal = refusalOf(() => intake.enter(grid))
    expect(refusal?.reason).toBe('overloaded')
    expect(refusal?.retryAfterMs).toBeGreaterThanOrEqual(1_000)
    first.release()
    expect(refusalOf(() => intake.enter(grid))).toBeUndefined()
  })

  it('refuses a request that says it is larger than what is free', () => {
    const { intake } = open(10 * MIB)
    intake.enter(grid).add(4 * MIB)
    expect(refusalOf(() => intake.enter(grid, 8 * MIB))?.reason).toBe('overloaded')
    expect(refusalOf(() => intake.enter(grid, 4 * MIB))).toBeUndefined()
  })

  it('lets one of two large requests through by refusing the one that cannot go on', () => {
    const { intake } = open(96 * MIB)
    const one = intake.enter(grid)
    const other = intake.enter(grid)
    one.add(47 * MIB)
    other.add(47 * MIB)
    expect(refusalOf(() => one.add(4 * MIB))?.reason).toBe('overloaded')
    one.release()
    expect(refusalOf(() => other.add(17 * MIB))).toBeUndefined()
  })

  it('bounds the number of empty requests as well', () => {
    const { intake } = open(MIB)
    let entered = 0
    while (refusalOf(() => intake.enter(grid)) === undefined) entered++
    expect(entered).toBe(256)
  })

  it('gives everything back once, however often a request is released', async () => {
    const { intake, inFlight } = open()
    const reservation = intake.enter(grid)
    reservation.add(MIB)
    expect(await inFlight()).toBeGreaterThan(MIB)
    reservation.release()
    reservation.release()
    expect(await inFlight()).toBe(0)
    expect(refusalOf(() => reservation.add(1))?.reason).toBe('cancelled')
  })
})

describe('the quota of a Grid', () => {
  const limited = { id: 'limited', ingestQuota: 100 }

  it('refuses a Grid in debt and says how long it takes to pay it back', () => {
    const { intake, advance } = open()
    intake.spend(limited, 350)
    const refusal = refusalOf(() => intake.enter(limited))
    expect(refusal).toMatchObject({ reason: 'quota', retryAfterMs: 2_500 })
    advance(2_499)
    expect(refusalOf(() => intake.enter(limited))?.reason).toBe('quota')
    advance(1)
    expect(refusalOf(() => intake.enter(limited))).toBeUndefined()
  })

  it('holds for that Grid only', () => {
    const { intake } = open()
    intake.spend(limited, 1_000)
    expect(refusalOf(() => intake.enter({ id: 'other', ingestQuota: 100 }))).toBeUndefined()
    expect(refusalOf(() => intake.enter(grid))).toBeUndefined()
  })

  it('never stops a Grid that keeps to it, nor lets it save up more than a second', () => {
    const { intake, advance } = open()
    for (let second = 0; second < 50; second++) {
      expect(refusalOf(() => intake.enter(limited))).toBeUndefined()
      intake.spend(limited, 100)
      advance(1_000)
    }
    advance(3_600_000)
    intake.spend(limited, 201)
    expect(refusalOf(() => intake.enter(limited))?.retryAfterMs).toBe(1_010)
  })

  it('lets nothing in where it is 0', () => {
    const { intake } = open()
    expect(refusalOf(() => intake.enter({ id: 'none', ingestQuota: 0 }))?.reason).toBe('quota')
  })
})
