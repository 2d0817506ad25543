import { describe, expect, it } from 'vitest'
import { eventsIn, foundAnomalies, type Traffic } from '../changes/testing/traffic.ts'

const steady = (from: number, to: number, traffic: Partial<Traffic> = {}): Traffic => ({
  from,
  to,
  perMinute: 100,
  ...traffic,
})
const other = { service: 'shop', from: 0, to: 400 }

describe('an anomaly of errors', () => {
  it('is told with its figures at its onset, and its recovery when it is over', () => {
    expect(
      foundAnomalies(
        steady(0, 90, { errorPercent: 1 }),
        steady(90, 110, { errorPercent: 18 }),
        steady(110, 150, { errorPercent: 1 }),
      ),
    ).toEqual([
      '+90 anomaly cart: error rate rose from 1% to 18%',
      '+110 recovery cart: error rate is back to 1% after 20 minutes',
    ])
  })

  it('is critical from 25 % on, else a warning; the recovery is for information', () => {
    const severities = (errorPercent: number) =>
      eventsIn([steady(0, 90), steady(90, 110, { errorPercent }), steady(110, 150)]).map(({ severity }) => severity)
    expect(severities(24)).toEqual(['warning', 'info'])
    expect(severities(25)).toEqual(['critical', 'info'])
  })

  it('begins where errors began for good, not at a stray one minutes before', () => {
    const stray = (minute: number) => [steady(minute, minute + 1, { errorPercent: 2 }), steady(minute + 1, minute + 2)]
    const lines = foundAnomalies(
      steady(0, 82),
      ...[82, 84, 86].flatMap(stray),
      steady(88, 90),
      steady(90, 110, { errorPercent: 12 }),
      steady(110, 150),
    )
    expect(lines[0]).toMatch(/^\+90 anomaly cart: error rate rose from 0(\.\d+)?% to 12%$/)
    expect(lines).toHaveLength(2)
  })

  it('is none where it passes within two minutes', () => {
    expect(foundAnomalies(steady(0, 90), steady(90, 92, { errorPercent: 20 }), steady(92, 150))).toEqual([])
  })

  it('is told while it goes on, once', () => {
    const lines = foundAnomalies(steady(0, 90), steady(90, 300, { errorPercent: 30 }))
    expect(lines).toEqual(['+90 anomaly cart: error rate rose from 0% to 30%'])
  })

  it('is found after three minutes', () => {
    expect(foundAnomalies(steady(0, 90), steady(90, 92, { errorPercent: 30 }), { ...other, to: 94 })).toEqual([])
    expect(foundAnomalies(steady(0, 90), steady(90, 93, { errorPercent: 30 }), { ...other, to: 94 })).toEqual([
      '+90 anomaly cart: error rate rose from 0% to 30%',
    ])
  })

  it('is found in a service with a few requests a minute, later', () => {
    const rare = { perMinute: 3 }
    expect(
      foundAnomalies(steady(0, 90, rare), { ...steady(90, 110, rare), errorPercent: 100 }, steady(110, 150, rare)),
    ).toEqual([
      '+90 anomaly cart: error rate rose from 0% to 100%',
      '+110 recovery cart: error rate is back to 0% after 20 minutes',
    ])
  })

  it('is none in a service with too few requests to tell', () => {
    expect(
      foundAnomalies(steady(0, 90, { perMinute: 0.2 }), steady(90, 150, { perMinute: 0.2, errorPercent: 100 })),
    ).toEqual([])
  })

  it('is none where errors were as many before', () => {
    expect(foundAnomalies(steady(0, 150, { errorPercent: 30 }))).toEqual([])
  })

  it('leaves its minutes out of what is normal', () => {
    const lines = foundAnomalies(
      steady(0, 90),
      steady(90, 110, { errorPercent: 30 }),
      steady(110, 130),
      steady(130, 150, { errorPercent: 30 }),
      steady(150, 170),
    )
    expect(lines.filter((line) => line.includes('anomaly'))).toEqual([
      '+90 anomaly cart: error rate rose from 0% to 30%',
      '+130 anomaly cart: error rate rose from 0% to 30%',
    ])
  })
})

describe('an anomaly of latency', () => {
  it('is told with its figures and its recovery', () => {
    expect(foundAnomalies(steady(0, 90), steady(90, 110, { latencyMs: 400 }), steady(110, 150))).toEqual([
      '+90 anomaly cart: average latency rose from 50 ms to 400 ms',
      '+110 recovery cart: average latency is back to 50 ms after 20 minutes',
    ])
  })

  it('is critical from the tenfold on', () => {
    const severity = (latencyMs: number) => eventsIn([steady(0, 90), steady(90, 110, { latencyMs })])[0]?.severity
    expect([severity(499), severity(500)]).toEqual(['warning', 'critical'])
  })

  it('is none where it gets faster, or a little slower', () => {
    expect(foundAnomalies(steady(0, 90), steady(90, 150, { latencyMs: 10 }))).toEqual([])
    expect(foundAnomalies(steady(0, 90), steady(90, 150, { latencyMs: 70 }))).toEqual([])
  })
})

describe('an anomaly of throughput', () => {
  it('is told where requests fail to come while others do, and when they come again', () => {
    expect(foundAnomalies({ ...other, to: 150 }, steady(0, 90), steady(120, 150))).toEqual([
      '+90 anomaly cart: throughput fell from 100 to 0 requests a minute',
      '+120 recovery cart: throughput is back to 100 requests a minute after 30 minutes',
    ])
  })

  it('is none where nobody sends anything', () => {
    expect(foundAnomalies(steady(0, 90), steady(120, 150))).toEqual([])
  })

  it('is told where there are many more requests than before', () => {
    expect(foundAnomalies(steady(0, 90), steady(90, 110, { perMinute: 500 }), steady(110, 150))).toEqual([
      '+90 anomaly cart: throughput rose from 100 to 500 requests a minute',
      '+110 recovery cart: throughput is back to 100 requests a minute after 20 minutes',
    ])
  })

  it('is none where a service always works in bursts', () => {
    const perMinute = (minute: number) => (minute % 60 < 5 ? 1000 : 20)
    expect(foundAnomalies({ from: 0, to: 600, perMinute })).toEqual([])
  })
})

describe('what begins', () => {
  it('is no anomaly: there is nothing to compare with', () => {
    expect(foundAnomalies(steady(0, 5), steady(5, 60, { errorPercent: 30, latencyMs: 900 }))).toEqual([])
    expect(foundAnomalies({ ...other, to: 300 }, steady(100, 300, { errorPercent: 30 }))).toEqual([])
  })
})

describe('what is open', () => {
  it('is told in the hour of its onset and recovers in a later one', () => {
    expect(foundAnomalies(steady(0, 115), steady(115, 190, { errorPercent: 30 }), steady(190, 240))).toEqual([
      '+115 anomaly cart: error rate rose from 0% to 30%',
      '+190 recovery cart: error rate is back to 0% after 75 minutes',
    ])
  })

  it('is normal after six hours', () => {
    expect(foundAnomalies(steady(0, 90), steady(90, 600, { errorPercent: 30 }), steady(600, 700))).toEqual([
      '+90 anomaly cart: error rate rose from 0% to 30%',
    ])
  })
})
