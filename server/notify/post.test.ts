import { afterEach, beforeEach, expect, it } from 'vitest'
import { createAddressGuard } from './address-guard.ts'
import { post } from './post.ts'
import { openReceiver, type Receiver } from './testing/receiver.ts'

let receiver: Receiver

beforeEach(async () => {
  receiver = await openReceiver()
})
afterEach(() => receiver.close())

const posted = (host: string) => ({
  url: receiver.url.replace('127.0.0.1', host),
  headers: {},
  body: '{}',
  signal: new AbortController().signal,
})

it('connects to the address that was checked, and does not ask again what a name leads to', async () => {
  let asked = 0
  // The second answer would be the attack.
  const guard = createAddressGuard(['127.0.0.1'], async () => [
    { address: asked++ ? '127.9.9.9' : '127.0.0.1', family: 4 },
  ])
  expect(await post(guard, posted('hook.invalid'))).toEqual({ delivered: true, statusCode: 204, error: '' })
  expect(asked).toBe(1)
  expect(receiver.received[0]?.headers.host).toMatch(/^hook\.invalid:/)
})

it('sends nothing to a name that leads inside the own network', async () => {
  const guard = createAddressGuard([], async () => [{ address: '127.0.0.1', family: 4 }])
  const attempt = await post(guard, posted('hook.invalid'))
  expect(attempt).toMatchObject({ delivered: false, statusCode: null })
  expect(attempt.error).toContain("inside the server's own network")
  expect(receiver.received).toEqual([])
})

it('says that a name is unknown', async () => {
  const guard = createAddressGuard([], () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' })))
  expect((await post(guard, posted('hook.invalid'))).error).toBe('The host is unknown.')
})
