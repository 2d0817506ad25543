import { describe, expect, it } from 'vitest'
import { found, type Traffic } from './testing/traffic.ts'

const POOL_10 = { 'app.pool_size': 10, 'deployment.environment.name': 'prod' }
const POOL_50 = { 'app.pool_size': 50, 'deployment.environment.name': 'prod' }
const CHANGED = 'configuration cart: changed app.pool_size from 10 to 50'

const each = (names: string, traffic: Omit<Traffic, 'instance'>): Traffic[] =>
  [...names].map((instance) => ({ instance, ...traffic }))

describe('a changed configuration', () => {
  it('is told where the same instances have another value', () => {
    expect(
      found(
        ...each('ab', { from: 0, to: 40, attributes: POOL_10 }),
        ...each('ab', { from: 40, to: 100, attributes: POOL_50 }),
      ),
    ).toEqual([`+40 ${CHANGED}`])
  })

  it('is told where an instance without a name has another value', () => {
    expect(found({ from: 0, to: 40, attributes: POOL_10 }, { from: 40, to: 42, attributes: POOL_50 })).toEqual([
      `+40 ${CHANGED}`,
    ])
  })

  it('that rolls over new instances is one change, and no scaling', () => {
    const old = [...'abc'].map((instance, n) => ({ instance, from: 0, to: 40 + 4 * n, attributes: POOL_10 }))
    const young = [...'def'].map((instance, n) => ({ instance, from: 39 + 4 * n, to: 120, attributes: POOL_50 }))
    expect(found(...old, ...young)).toEqual([`+39 ${CHANGED}`])
  })

  it('is told once where the only instance is replaced', () => {
    expect(
      found(
        { instance: 'a', from: 0, to: 40, attributes: POOL_10 },
        { instance: 'b', from: 41, to: 100, attributes: POOL_50 },
      ),
    ).toEqual([`+41 ${CHANGED}`])
  })

  it('is told again where it is taken back', () => {
    expect(
      found(
        ...each('ab', { from: 0, to: 40, attributes: POOL_10 }),
        ...each('ab', { from: 40, to: 60, attributes: POOL_50 }),
        ...each('ab', { from: 60, to: 100, attributes: POOL_10 }),
      ),
    ).toEqual([`+40 ${CHANGED}`, '+60 configuration cart: changed app.pool_size from 50 to 10'])
  })

  it('names what changed together in one event', () => {
    const before = { a: '1', b: '1', c: '1', d: '1', e: '1' }
    const after = { a: '2', b: '2', c: '2', d: '2', e: '1' }
    expect(found({ from: 0, to: 40, attributes: before }, { from: 40, to: 80, attributes: after })).toEqual([
      '+40 configuration cart: changed a from 1 to 2, b from 1 to 2, c from 1 to 2 and 1 more',
    ])
  })

  it('is none where instances differ, come and go', () => {
    const a = { instance: 'a', from: 0, to: 200, attributes: { 'app.role': 'leader' } }
    const b = { instance: 'b', attributes: { 'app.role': 'follower' } }
    expect(found(a, { ...b, from: 0, to: 100 }, { ...b, from: 115, to: 200 })).not.toContainEqual(
      expect.stringContaining('configuration'),
    )
  })

  it('is none where a second instance is simply set up otherwise', () => {
    const a = { instance: 'a', from: 0, to: 200, attributes: { 'app.shard': 'one' } }
    const b = { instance: 'b', from: 60, to: 200, attributes: { 'app.shard': 'two' } }
    expect(found(a, b)).toEqual(['+60 scaling cart: scaled from 1 to 2 instances'])
  })

  it('is none where it comes with another version', () => {
    expect(
      found(
        { from: 0, to: 40, version: '1', attributes: { 'app.flag': 'off' } },
        { from: 40, to: 80, version: '2', attributes: { 'app.flag': 'on' } },
      ),
    ).toEqual(['+40 deployment cart: deployed version 2 (previously 1)'])
  })

  it('is told where instances that run another version take it on minutes later', () => {
    expect(
      found(
        ...each('ab', { from: 0, to: 40, version: '1', attributes: POOL_10 }),
        ...each('ab', { from: 40, to: 55, version: '2', attributes: POOL_10 }),
        ...each('ab', { from: 55, to: 100, version: '2', attributes: POOL_50 }),
      ),
    ).toEqual(['+40 deployment cart: deployed version 2 (previously 1)', `+55 ${CHANGED}`])
  })

  it('is none where an attribute is new or gone', () => {
    expect(
      found(
        { from: 0, to: 40, attributes: { a: '1' } },
        { from: 40, to: 60, attributes: { a: '1', b: '1' } },
        { from: 60, to: 80, attributes: { b: '1' } },
      ),
    ).toEqual([])
  })

  it.each([
    ['process.pid', 12, 4711],
    ['process.start_time', 'then', 'now'],
    ['process.creation.time', 'then', 'now'],
    ['host.id', 'one', 'two'],
    ['host.name', 'one', 'two'],
    ['host.ip', ['10.0.0.1'], ['10.0.0.2']],
    ['container.id', 'one', 'two'],
    ['container.name', 'one', 'two'],
    ['k8s.pod.uid', 'one', 'two'],
    ['k8s.node.name', 'one', 'two'],
    ['process.executable.path', '/a', '/b'],
    ['net.host.ip', '10.0.0.1', '10.0.0.2'],
    ['app.session', '7f9c24e5-2d0a-4b55-9d3c-1f0a2b3c4d5e', 'b1946ac9-2492-4d23-8c6a-0123456789ab'],
    ['app.token', 'b1946ac92492d2347c6235b4d2611184', '591785b794601e212b260e25925636fd'],
    ['app.born', '2026-03-01T10:00:00Z', '2026-03-01T10:40:00Z'],
    ['app.peer', '10.1.2.3:8080', '10.1.2.4:8080'],
    ['service.instance.id', 'one', 'two'],
  ])('is none where only %s differs, which names an identity', (key, before, after) => {
    expect(
      found({ from: 0, to: 40, attributes: { [key]: before } }, { from: 41, to: 90, attributes: { [key]: after } }),
    ).toEqual([])
  })

  it('of what the service runs on is told', () => {
    expect(
      found(
        { from: 0, to: 40, attributes: { 'process.runtime.version': '21.0.1' } },
        { from: 40, to: 80, attributes: { 'process.runtime.version': '21.0.2' } },
      ),
    ).toEqual(['+40 configuration cart: changed process.runtime.version from 21.0.1 to 21.0.2'])
  })
})
