import { describe, expect, it } from 'vitest'
import type { Attributes } from './attributes.ts'
import { callTarget } from './call-target.ts'

describe('callTarget', () => {
  it('names no one without attributes', () => {
    expect(callTarget({})).toEqual({ named: '', dependency: '' })
    expect(
      callTarget({ 'http.request.method': 'GET', 'db.namespace': 'orders', 'messaging.destination.name': 'q' }),
    ).toEqual({
      named: '',
      dependency: '',
    })
  })

  it.each<[string, Attributes]>([
    ['pay', { 'peer.service': 'pay', 'server.address': '10.0.0.1' }],
    ['10.0.0.1', { 'server.address': '10.0.0.1', 'db.system': 'redis' }],
    ['10.0.0.1', { 'peer.service': '', 'server.address': '10.0.0.1' }],
    ['', { 'net.peer.name': 'pay', 'url.full': 'http://pay/' }],
  ])('takes %j for the name of a service', (named, attributes) => {
    expect(callTarget(attributes).named).toBe(named)
  })

  const CALL = { 'peer.service': 'peer', 'server.address': 'host', 'net.peer.name': 'old-host' }
  const RPC = { ...CALL, 'rpc.service': 'shop.Cart', 'url.full': 'http://x/' }
  const MESSAGE = { ...RPC, 'messaging.system': 'kafka' }
  const QUERY = { ...MESSAGE, 'db.system': 'mysql' }
  it.each<[string, Attributes]>([
    ['postgresql/orders', { ...QUERY, 'db.system.name': 'postgresql', 'db.namespace': 'orders', 'db.name': 'old' }],
    ['mysql/old', { ...QUERY, 'db.name': 'old' }],
    ['mysql', { ...QUERY, 'messaging.destination.name': 'topic' }],
    ['kafka/topic', { ...MESSAGE, 'messaging.destination.name': 'topic', 'messaging.destination': 'old' }],
    ['kafka/old', { ...MESSAGE, 'messaging.destination': 'old' }],
    ['kafka', { ...MESSAGE, 'db.namespace': 'orders' }],
    ['shop.Cart', RPC],
    ['host', CALL],
    ['old-host', { 'peer.service': 'peer', 'net.peer.name': 'old-host', 'url.full': 'http://x/' }],
    [
      'api.example',
      { 'peer.service': 'peer', 'url.full': 'https://me:secret@API.example:8443/a?b', 'http.url': 'http://x/' },
    ],
    ['api.example', { 'peer.service': 'peer', 'http.url': 'http://api.example/a' }],
    ['api.example', { 'url.full': '/only/a/path', 'http.url': 'http://api.example/a' }],
    ['peer', { 'peer.service': 'peer', 'url.full': 'mailto:someone@example', 'http.url': 'no url' }],
    ['[2001:db8::1]', { 'url.full': 'http://[2001:db8::1]:80/' }],
    ['键/🙂', { 'db.system': '键', 'db.namespace': '🙂' }],
  ])('takes %j for the dependency', (dependency, attributes) => {
    expect(callTarget(attributes).dependency).toBe(dependency)
  })

  it.each([5, true, null, ['pay'], { name: 'pay' }, ''])('passes over %j, which is no text', (value) => {
    const keys = [
      'peer.service',
      'db.system',
      'db.system.name',
      'messaging.system',
      'rpc.service',
      'url.full',
      'http.url',
    ]
    const attributes = Object.fromEntries(keys.map((key) => [key, value]))
    expect(callTarget({ ...attributes, 'server.address': 'host' })).toEqual({ named: 'host', dependency: 'host' })
    expect(callTarget({ 'db.system': 'redis', 'db.namespace': value }).dependency).toBe('redis')
  })
})
