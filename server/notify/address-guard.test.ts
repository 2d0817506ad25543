import { describe, expect, it } from 'vitest'
import { AddressRefused, createAddressGuard } from './address-guard.ts'

const resolving = (...addresses: string[]) => {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}

describe('an address inside the own network', () => {
  it.each([
    '127.0.0.1',
    '127.8.8.8',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '255.255.255.255',
    '224.0.0.1',
    '[::1]',
    '[::]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '[fc00::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[ff02::1]',
  ])('such as %s is refused as it is and after resolving', async (host) => {
    const guard = createAddressGuard([])
    expect(guard.refusalOf(host)).toContain("inside the server's own network")
    await expect(guard.addressesOf(host)).rejects.toThrow(AddressRefused)
    const bare = host.replace(/[[\]]/g, '')
    await expect(createAddressGuard([], resolving(bare)).addressesOf('a.example')).rejects.toThrow(AddressRefused)
  })

  it('is refused however a URL spells it', () => {
    const guard = createAddressGuard([])
    for (const url of ['http://0x7f.1/', 'http://2130706433/', 'http://017700000001/', 'http://[0:0::1]/'])
      expect(guard.refusalOf(new URL(url).hostname)).toBeDefined()
  })

  it('is allowed where the configuration says so, and its neighbours are not', async () => {
    const guard = createAddressGuard(['10.1.0.0/16', '127.0.0.1', 'fd00::/8'])
    for (const host of ['10.1.2.3', '127.0.0.1', '[fd00::1]']) expect(guard.refusalOf(host)).toBeUndefined()
    for (const host of ['10.2.2.3', '127.0.0.2', '[fe80::1]']) expect(guard.refusalOf(host)).toBeDefined()
    expect(await guard.addressesOf('[fd00::1]')).toEqual([{ address: 'fd00::1', family: 6 }])
  })
})

it('a public address is allowed', async () => {
  const guard = createAddressGuard([], resolving('93.184.216.34', '2606:2800:220:1::1'))
  expect(guard.refusalOf('93.184.216.34')).toBeUndefined()
  expect(guard.refusalOf('hooks.example.com')).toBeUndefined()
  expect(await guard.addressesOf('hooks.example.com')).toEqual([
    { address: '93.184.216.34', family: 4 },
    { address: '2606:2800:220:1::1', family: 6 },
  ])
})

it('of a host with several addresses only those that are allowed are used', async () => {
  const guard = createAddressGuard([], resolving('127.0.0.1', '93.184.216.34', 'fe80::1%eth0'))
  expect(await guard.addressesOf('both.example')).toEqual([{ address: '93.184.216.34', family: 4 }])
})
