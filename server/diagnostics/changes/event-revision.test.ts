import { describe, expect, it } from 'vitest'
import { eventRevision, type KnownEvent, type SourcedEvent } from './event-revision.ts'

const MINUTE_MS = 60_000

const deployment = (minute: number, currentVersion = '2'): SourcedEvent => ({
  key: `deployment:cart:${currentVersion}:${minute}`,
  atMs: minute * MINUTE_MS,
  type: 'deployment',
  severity: 'info',
  serviceName: 'cart',
  description: `deployed ${currentVersion}`,
  details: { currentVersion },
  source: 'hour',
})
const provisional = (event: SourcedEvent): KnownEvent => ({ ...event, isSettled: false })
const settled = (event: SourcedEvent): KnownEvent => ({ ...event, isSettled: true })

describe('a revision of events', () => {
  it('changes nothing where everything is as it was', () => {
    const event = deployment(10)
    expect(eventRevision([event], [provisional(event)])).toEqual({ put: [], withdraw: [] })
    expect(eventRevision([event], [settled(event)])).toEqual({ put: [], withdraw: [] })
  })

  it('puts what is new or altered, and withdraws what is no longer found', () => {
    const altered = { ...deployment(10), description: 'otherwise' }
    expect(
      eventRevision([altered, deployment(30, '3')], [provisional(deployment(10)), provisional(deployment(20, '9'))]),
    ).toEqual({ put: [altered, deployment(30, '3')], withdraw: [deployment(20, '9').key] })
  })

  it('never touches what is settled', () => {
    const altered = { ...deployment(10), description: 'otherwise' }
    expect(eventRevision([altered], [settled(deployment(10)), settled(deployment(20, '9'))])).toEqual({
      put: [],
      withdraw: [],
    })
  })

  it('does not record a settled event again where late telemetry has moved it', () => {
    expect(eventRevision([deployment(7)], [settled(deployment(10))])).toEqual({ put: [], withdraw: [] })
    expect(eventRevision([deployment(7)], [provisional(deployment(10))])).toEqual({
      put: [deployment(7)],
      withdraw: [deployment(10).key],
    })
  })

  it('records another event that is near to a settled one', () => {
    const again = deployment(25)
    expect(eventRevision([deployment(10), again], [settled(deployment(10))]).put).toEqual([again])
    expect(eventRevision([deployment(7), again], [settled(deployment(10))]).put).toEqual([again])
    expect(eventRevision([deployment(7, '3')], [settled(deployment(10))]).put).toEqual([deployment(7, '3')])
    expect(eventRevision([deployment(41)], [settled(deployment(10))]).put).toEqual([deployment(41)])
  })
})
