import { describe, expect, it } from 'vitest'
import { atNs } from '../../storage/conformance/test-time.ts'
import { saturations } from './saturation.ts'
import { AT_MS, gauge, lastMinutes, pointsOf, updown } from './testing/metric-series.ts'

const MINUTE_MS = 60_000
/** The moment of a series' value, counted from its last. */
const ago = (minutes: number): bigint => atNs(AT_MS - 10_000 - minutes * MINUTE_MS)
const loop = (values: (number | null)[], more = {}) => gauge('nodejs.eventloop.utilization', values, {}, more)
const found = (minutes: number, ...series: Parameters<typeof pointsOf>) =>
  saturations(pointsOf(...series), lastMinutes(minutes))

describe('saturations', () => {
  it('are none where nothing was near its limit', () => {
    expect(found(15, loop([0.1, 0.5, 0.799]))).toEqual([])
    expect(found(15)).toEqual([])
  })

  it('begin when the limit is crossed, and last while it is', () => {
    expect(found(15, loop([0.2, 0.3, 0.85, 0.97, 0.91]))).toEqual([
      {
        type: 'event_loop',
        serviceName: 'shop',
        instance: '',
        instanceLabel: '',
        resource: 'event loop',
        severity: 'warning',
        onsetNs: ago(2),
        lastNs: ago(0),
        isLasting: true,
        utilization: 91,
        capacity: 0,
        queueDepth: 0,
        sampleCount: 3,
        ofHost: false,
      },
    ])
  })

  it('end when it is not crossed any more, and may come again', () => {
    const [first, second, ...none] = found(15, loop([0.9, 0.99, 0.3, 0.2, 0.85]))
    expect(none).toEqual([])
    expect(first).toMatchObject({
      onsetNs: ago(4),
      lastNs: ago(3),
      isLasting: false,
      utilization: 99,
      severity: 'critical',
    })
    expect(second).toMatchObject({ onsetNs: ago(0), isLasting: true, severity: 'warning', sampleCount: 1 })
  })

  it('do not come from counting an instance twice whose settings have just changed', () => {
    const of = (flag: string) => ({ resource: { 'service.instance.id': 'a', flag } })
    const before = loop([0.5, 0.5, 0.5], { agoMs: 2 * MINUTE_MS, ...of('off') })
    expect(found(15, before, loop([0.5, 0.5], of('on')))).toEqual([])
    const other = { resource: { 'service.instance.id': 'a', 'process.pid': 7 } }
    expect(found(15, loop([0.5, 0.5], of('on')), loop([0.5, 0.5], other))).toHaveLength(1)
  })

  it('are two where the service said nothing for more than five minutes in between', () => {
    const early = loop([0.9, 0.9], { agoMs: 8 * MINUTE_MS })
    expect(found(15, early, loop([0.9, 0.9])).map(({ onsetNs }) => onsetNs)).toEqual([
      atNs(AT_MS - 9 * MINUTE_MS),
      ago(1),
    ])
  })

  it('have ended where the newest value is older than five minutes', () => {
    expect(found(15, loop([0.9], { agoMs: 300_000 }))).toMatchObject([{ isLasting: true }])
    expect(found(15, loop([0.9], { agoMs: 300_001 }))).toMatchObject([{ isLasting: false }])
  })

  it('have ended where the sender says that it has no value any more', () => {
    expect(found(15, loop([0.9, 0.9, null]))).toMatchObject([{ isLasting: false, lastNs: ago(1) }])
  })

  it('are told within the window asked about', () => {
    const long = loop([0.9, 0.9, 0.9, 0.9, 0.9])
    expect(found(2, long)).toMatchObject([{ onsetNs: atNs(AT_MS - 2 * MINUTE_MS), isLasting: true }])
    expect(found(2, loop([0.9, 0.9, 0.2, 0.2, 0.2]))).toEqual([])
  })

  it('count the newest value, even of a window that is shorter than five minutes', () => {
    expect(found(1, loop([0.9], { agoMs: 200_000 }))).toMatchObject([
      { isLasting: true, onsetNs: atNs(AT_MS - MINUTE_MS) },
    ])
  })

  it('do not know what comes after the window', () => {
    const points = pointsOf(loop([0.1, 0.9]))
    expect(saturations(points, { startNs: ago(5), endNs: ago(0) })).toEqual([])
    expect(saturations(points, { startNs: ago(5), endNs: ago(0) + 1n })).toHaveLength(1)
  })

  const waiting = (used: number, depths: number[]) => [
    updown('db.client.connection.count', used, { 'pool.name': 'db', state: 'used' }),
    updown('db.client.connection.max', 100, { 'pool.name': 'db' }),
    updown('db.client.connection.pending_requests', depths, { 'pool.name': 'db' }),
  ]

  it.each([
    ['warning', 94.99, [0, 0, 0, 0, 0]],
    ['critical', 95, [0, 0, 0, 0, 0]],
    ['critical', 80, [0, 1, 3, 6, 9]],
    ['warning', 80, [9, 9, 9, 9, 9]],
  ])('are %s at %s percent with %j waiting', (severity, used, depths) => {
    expect(found(15, ...waiting(used, depths))).toMatchObject([{ severity, utilization: used, capacity: 100 }])
  })

  it('are none below the limit, however many wait', () => {
    expect(found(15, ...waiting(79, [0, 10, 30, 60, 90]))).toEqual([])
  })

  const unlimited = (used: number, idle: number, depths: number[]) => [
    updown('db.client.connection.count', used, { 'pool.name': 'db', state: 'used' }),
    updown('db.client.connection.count', idle, { 'pool.name': 'db', state: 'idle' }),
    updown('db.client.connection.pending_requests', depths, { 'pool.name': 'db' }),
  ]

  it('take the connections that there are for the limit, where nobody told it and somebody waits', () => {
    expect(found(15, ...unlimited(10, 0, [0, 0, 2, 3, 3]))).toMatchObject([
      { utilization: 100, capacity: 10, queueDepth: 3, onsetNs: ago(2), severity: 'critical' },
    ])
  })

  it('do not where nobody waits, or somebody did but once: the pool may grow yet', () => {
    expect(found(15, ...unlimited(10, 0, [0, 0, 0, 0, 0]))).toEqual([])
    expect(found(15, ...unlimited(10, 0, [0, 0, 0, 0, 1]))).toEqual([])
  })

  it('are none where a limit is 0, negative or missing', () => {
    const used = gauge('process.open_file_descriptor.count', 500)
    for (const limit of [0, -1, Number.NaN]) expect(found(15, used, gauge('process.files.max', limit))).toEqual([])
    expect(found(15, used)).toEqual([])
  })

  it('remember a limit that is told less often', () => {
    const limit = gauge('process.files.max', [1000], {}, { agoMs: 4 * MINUTE_MS })
    expect(found(15, gauge('process.open_file_descriptor.count', [900, 900]), limit)).toMatchObject([
      { utilization: 90 },
    ])
  })

  it('date a backlog from where it began to climb', () => {
    const lag = gauge('kafka.consumer.records_lag', [3, 2, 4, 200, 900, 3000], { topic: 'orders' })
    expect(found(15, lag)).toMatchObject([
      { type: 'queue', onsetNs: ago(1), queueDepth: 3000, utilization: 0, severity: 'critical' },
    ])
  })

  it('warn of a backlog that grew and stays', () => {
    const stays = [0, 0, 500, 2000, 2000, 2000, 2000, 2000, 2000, 2000]
    expect(found(15, gauge('kafka.consumer.records_lag', stays, { topic: 'orders' }))).toMatchObject([
      { severity: 'warning', isLasting: true },
    ])
  })

  it('count each partition of a backlog, and only values that there can be', () => {
    const lag = (values: number[], partition: number) =>
      gauge('kafka.consumer_group.lag', values, { topic: 'orders', group: 'billing', partition })
    const [one] = found(15, lag([1, 100, 400], 0), lag([1, 200, 600], 1), lag([-1, -1, -1], 2))
    expect(one).toMatchObject({ resource: 'orders/billing', queueDepth: 1000 })
  })

  it('do not count what is sent under its current and its former name twice', () => {
    const both = [
      ...waiting(90, [0, 0, 0, 0, 0]),
      updown('db.client.connections.usage', 90, { 'pool.name': 'db', state: 'used' }),
      updown('db.client.connections.max', 100, { 'pool.name': 'db' }),
    ]
    expect(found(15, ...both)).toMatchObject([{ utilization: 90, capacity: 100 }])
  })

  it('go on where a process restarts and counts anew', () => {
    const cpu = (values: number[], startMs: number, agoMs: number) => ({
      ...gauge('jvm.cpu.time', values, {}, { type: 'sum', temporality: 'cumulative', monotonic: true }),
      startNs: atNs(startMs),
      agoMs,
    })
    const restarted = AT_MS - 100_000
    const series = [
      cpu([1000, 1057], 0, 130_000),
      cpu([28.5, 85.5], restarted, 10_000),
      gauge('jvm.cpu.count', [1, 1, 1, 1, 1]),
    ]
    const [one] = found(15, ...series)
    expect(one).toMatchObject({ type: 'cpu', isLasting: true, sampleCount: 3 })
    expect(one?.utilization).toBeCloseTo(95)
  })

  it('pass over the sizes of the spaces of V8, which are no limits', () => {
    const space = { 'v8js.heap.space.name': 'old_space' }
    expect(found(15, gauge('v8js.memory.heap.used', 95, space), gauge('v8js.memory.heap.limit', 100, space))).toEqual(
      [],
    )
  })

  it('pass over filesystems that are full by nature', () => {
    const image = { mountpoint: '/snap/core/1', type: 'squashfs', state: 'used' }
    const readOnly = { mountpoint: '/cdrom', mode: 'ro', state: 'used' }
    for (const attributes of [image, readOnly])
      expect(found(15, gauge('system.filesystem.utilization', 1, attributes))).toEqual([])
  })

  it('judge the heap by what the last collection left, where that is told', () => {
    const heap = { 'jvm.memory.type': 'heap' }
    const series = [gauge('jvm.memory.used', 97, heap), gauge('jvm.memory.limit', 100, heap)]
    expect(found(15, ...series)).toHaveLength(1)
    expect(found(15, ...series, gauge('jvm.memory.used_after_last_gc', 40, heap))).toEqual([])
  })

  it('tell the instances of a service apart, and processes that share a name', () => {
    const of = (resource: Record<string, string | number>, value: number) => loop([value, value], { resource })
    const all = found(
      15,
      of({ 'service.instance.id': 'a', 'process.pid': 1 }, 0.9),
      of({ 'k8s.pod.name': 'b' }, 0.85),
      of({ 'host.name': 'c', 'process.pid': 1 }, 0.99),
      of({ 'host.name': 'c', 'process.pid': 2 }, 0.1),
    )
    expect(all.map(({ instance, utilization }) => [instance, Math.round(utilization)])).toEqual([
      ['a', 90],
      ['b', 85],
      ['c', 99],
    ])
  })

  it('call what was collected from outside by its workload', () => {
    const resource = { 'k8s.deployment.name': 'checkout', 'k8s.pod.name': 'checkout-1', 'k8s.container.name': 'app' }
    const usage = gauge('k8s.container.memory_limit_utilization', 0.9, {}, { service: 'unknown_service', resource })
    expect(found(15, usage)).toMatchObject([{ serviceName: 'checkout', instance: 'checkout-1', resource: 'app' }])
  })

  it('keep names as they are, whatever is in them', () => {
    const attributes = { 'pool.name': 'оплата "1"\u0000 💳', state: 'used' }
    const series = [
      updown('db.client.connections.usage', 9, attributes),
      updown('db.client.connections.max', 10, attributes),
    ]
    expect(found(15, ...series)).toMatchObject([{ resource: 'оплата "1"\u0000 💳' }])
  })
})
