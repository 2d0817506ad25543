import { describe, expect, it } from 'vitest'
import { found, type Traffic } from './testing/traffic.ts'

const each = (names: string, traffic: Omit<Traffic, 'instance'>): Traffic[] =>
  [...names].map((instance) => ({ instance, ...traffic }))

describe('scaling', () => {
  it('up is told from and to how many instances', () => {
    expect(found(...each('abc', { from: 0, to: 120 }), ...each('de', { from: 60, to: 120 }))).toEqual([
      '+60 scaling cart: scaled from 3 to 5 instances',
    ])
  })

  it('down is told when the instances were last seen', () => {
    expect(found(...each('abc', { from: 0, to: 120 }), ...each('de', { from: 0, to: 60 }))).toEqual([
      '+60 scaling cart: scaled from 5 to 3 instances',
    ])
  })

  it('down to one instance', () => {
    expect(found(...each('a', { from: 0, to: 120 }), ...each('b', { from: 0, to: 60 }))).toEqual([
      '+60 scaling cart: scaled from 2 to 1 instance',
    ])
  })

  it('in steps within 5 minutes is one change', () => {
    const steps = [60, 64, 69].map((from, n) => ({ instance: `new ${n}`, from, to: 150 }))
    expect(found(...each('abc', { from: 0, to: 150 }), ...steps)).toEqual([
      '+60 scaling cart: scaled from 3 to 6 instances',
    ])
  })

  it('in steps further apart is several changes', () => {
    const steps = [60, 70].map((from, n) => ({ instance: `new ${n}`, from, to: 150 }))
    expect(found(...each('abc', { from: 0, to: 150 }), ...steps)).toEqual([
      '+60 scaling cart: scaled from 3 to 4 instances',
      '+70 scaling cart: scaled from 4 to 5 instances',
    ])
  })

  it('up and down again is two changes', () => {
    expect(found(...each('abc', { from: 0, to: 200 }), ...each('de', { from: 60, to: 110 }))).toEqual([
      '+60 scaling cart: scaled from 3 to 5 instances',
      '+110 scaling cart: scaled from 5 to 3 instances',
    ])
  })

  it('is told at once, and corrected while it goes on', () => {
    expect(found(...each('abc', { from: 0, to: 61 }), ...each('d', { from: 60, to: 61 }))).toEqual([
      '+60 scaling cart: scaled from 3 to 4 instances',
    ])
  })

  it('across the end of an hour is one change', () => {
    expect(
      found(
        ...each('abc', { from: 0, to: 180 }),
        ...each('d', { from: 58, to: 180 }),
        ...each('e', { from: 61, to: 180 }),
      ),
    ).toEqual(['+58 scaling cart: scaled from 3 to 5 instances'])
  })

  it('is told though the service falls silent right after it', () => {
    expect(
      found(...each('abc', { from: 0, to: 62 }), ...each('d', { from: 58, to: 62 }), {
        service: 'shop',
        from: 0,
        to: 300,
      }),
    ).toEqual(expect.arrayContaining(['+58 scaling cart: scaled from 3 to 4 instances']))
  })

  it('is none when an instance restarts under its own name', () => {
    expect(
      found(
        ...each('ab', { from: 0, to: 120 }),
        ...each('c', { from: 0, to: 60 }),
        ...each('c', { from: 63, to: 120 }),
      ),
    ).toEqual([])
  })

  it('is none when an instance restarts under another name, from the first minute on', () => {
    for (let to = 62; to < 120; to++) {
      const lines = found(
        ...each('ab', { from: 0, to }),
        ...each('c', { from: 0, to: 60 }),
        ...each('d', { from: 61, to }),
      )
      expect({ to, lines }).toEqual({ to, lines: [] })
    }
  })

  it('is none when all instances are replaced one by one', () => {
    const replaced = [...'abcd'].flatMap((name, n) => [
      { instance: name, from: 0, to: 40 + 4 * n },
      { instance: `${name}2`, from: 41 + 4 * n, to: 150 },
    ])
    expect(found(...replaced)).toEqual([])
  })

  it('is none when a service falls wholly silent, nor when it comes back', () => {
    const shop = { service: 'shop', from: 0, to: 400 }
    const lines = found(shop, ...each('abc', { from: 0, to: 60 }), ...each('abc', { from: 300, to: 400 }))
    expect(lines.filter((line) => line.includes('scaling'))).toEqual([])
  })

  it('overnight is told in the morning', () => {
    expect(found(...each('abc', { from: 0, to: 60 }), ...each('vwxyz', { from: 600, to: 700 }))).toEqual([
      '+600 scaling cart: scaled from 3 to 5 instances',
    ])
  })

  it('is none for a service that is hardly asked, whoever answers', () => {
    const turns = Array.from({ length: 120 }, (_, n) => ({
      instance: 'abc'.charAt((n * 7) % 3),
      from: n * 9,
      to: n * 9 + 1,
    }))
    expect(found(...turns.map((turn) => ({ ...turn, perMinute: 1 })))).toEqual([])
  })

  it('is none while a service starts', () => {
    expect(found(...[...'abcd'].map((instance, n) => ({ instance, from: n, to: 100 })))).toEqual([])
  })

  it('is not told of a service that does not name its instances', () => {
    expect(found({ from: 0, to: 100, perMinute: 10 }, { from: 50, to: 100, perMinute: 50 })).not.toContainEqual(
      expect.stringContaining('scaling'),
    )
  })

  it('knows an instance by its pod or its host where it has no id', () => {
    const pods = [...'abc'].map((pod) => ({
      attributes: { 'k8s.pod.name': pod, 'host.name': 'same' },
      from: 0,
      to: 100,
    }))
    const pod = { attributes: { 'k8s.pod.name': 'd', 'host.name': 'same' }, from: 50, to: 100 }
    expect(found(...pods, pod)).toEqual(['+50 scaling cart: scaled from 3 to 4 instances'])
    const hosts = [...'ab'].map((host) => ({ attributes: { 'host.name': host }, from: 0, to: 100 }))
    expect(found(...hosts, { attributes: { 'host.name': 'c' }, from: 50, to: 100 })).toEqual([
      '+50 scaling cart: scaled from 2 to 3 instances',
    ])
  })

  it('is found with one request a minute for each instance', () => {
    expect(
      found(...each('abc', { from: 0, to: 100, perMinute: 1 }), ...each('de', { from: 0, to: 60, perMinute: 1 })),
    ).toEqual(['+60 scaling cart: scaled from 5 to 3 instances'])
  })
})
