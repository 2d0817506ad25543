import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

export interface Address {
  address: string
  family: 4 | 6
}

/** Decides which addresses the server may be sent to. */
export interface AddressGuard {
  /** Why nothing is sent to a host, where its name alone says so; undefined where only resolving it will tell. */
  refusalOf(host: string): string | undefined
  /** The addresses of a host that may be connected to; connect to no others. Fails with `AddressRefused` where there are none. */
  addressesOf(host: string): Promise<Address[]>
}

export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

type Resolve = (host: string) => Promise<{ address: string; family: number }[]>

/** Networks that are nobody's, this machine's, or somebody's own. */
const INSIDE_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
/** All that is public, and what is not within it: other addresses in disguise among them. */
const PUBLIC_V6 = ['2000::/3']
const INSIDE_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const insideV4 = blockListOf(INSIDE_V4)
const publicV6 = blockListOf(PUBLIC_V6)
const insideV6 = blockListOf(INSIDE_V6)

/** `networks` are those inside which may be sent to all the same. */
export function createAddressGuard(
  networks: readonly string[],
  resolve: Resolve = (host) => lookup(host, { all: true }),
): AddressGuard {
  const allowed = blockListOf(networks)

  function isAllowed({ address, family }: Address): boolean {
    if (address.includes('%')) return false
    if (allowed.check(address, family === 4 ? 'ipv4' : 'ipv6')) return true
    if (family === 4) return !insideV4.check(address)
    return publicV6.check(address, 'ipv6') && !insideV6.check(address, 'ipv6')
  }

  function refusalOf(host: string): string | undefined {
    const address = literalOf(host)
    if (address === undefined || isAllowed(address)) return undefined
    return `${address.address} is an address inside the server's own network, which is not allowed by its configuration.`
  }

  return {
    refusalOf,
    async addressesOf(host) {
      const refusal = refusalOf(host)
      if (refusal !== undefined) throw new AddressRefused(refusal)
      const literal = literalOf(host)
      if (literal) return [literal]
      const found = (await resolve(host)).map(
        ({ address, family }): Address => ({ address, family: family === 6 ? 6 : 4 }),
      )
      const usable = found.filter(isAllowed)
      if (usable.length > 0) return usable
      throw new AddressRefused(
        "The host leads to an address inside the server's own network, which is not allowed by its configuration.",
      )
    },
  }
}

/** A URL has brackets around an address of version 6. */
function literalOf(host: string): Address | undefined {
  const address = host.replace(/^\[(.*)\]$/, '$1')
  const family = isIP(address)
  return family === 4 || family === 6 ? { address, family } : undefined
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const isV4 = isIP(address) === 4
    list.addSubnet(address, prefix === undefined ? (isV4 ? 32 : 128) : Number(prefix), isV4 ? 'ipv4' : 'ipv6')
  }
  return list
}
