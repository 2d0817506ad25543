import { isIP } from 'node:net'
import { resolve } from 'node:path'

/** Turns the text of a setting into its value. */
export interface Parser<T> {
  /** What is accepted, in words that follow "must be". */
  accepts: string
  /** Undefined where the text is not accepted. */
  parse(text: string): T | undefined
}

export const port: Parser<number> = {
  accepts: 'a port from 0 to 65535 (0 takes any free port)',
  parse: (text) => wholeNumber(text, 0, 65_535),
}

export const requestsPerMinute: Parser<number> = {
  accepts: 'a whole number of requests a minute from 1 to 1000000000',
  parse: (text) => wholeNumber(text, 1, 1_000_000_000),
}

export const secondsAsMs: Parser<number> = {
  accepts: 'a number of seconds from 0.1 to 3600',
  parse(text) {
    if (!/^\d+(\.\d+)?$/.test(text)) return undefined
    const ms = Math.round(Number(text) * 1000)
    return ms >= 100 && ms <= 3_600_000 ? ms : undefined
  },
}

export const host: Parser<string> = {
  accepts: 'an IP address or a host name',
  parse: (text) => (isIP(text) || /^(?=.*[a-z])[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text) ? text : undefined),
}

/** The path is made absolute, so that it means the same after a change of folder. */
export const path: Parser<string> = {
  accepts: 'a path',
  parse: (text) => (text.includes('\0') ? undefined : resolve(text)),
}

export const text: Parser<string> = {
  accepts: 'a text',
  parse: (given) => given,
}

export const uuid: Parser<string> = {
  accepts: 'a UUID such as 6f1d2c3b-4a59-4e87-9c10-2b3d4e5f6a7b',
  parse: (given) => (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(given) ? given.toLowerCase() : undefined),
}

/** A key travels in a header, which carries neither control characters nor blanks at its ends, and nothing but ASCII alike everywhere. */
export const apiKey: Parser<string> = {
  accepts: '16 or more printable ASCII characters that neither begin nor end with a blank',
  parse: (given) => (/^[!-~][ -~]{14,}[!-~]$/.test(given) ? given : undefined),
}

export const password: Parser<string> = {
  accepts: '10 or more characters',
  parse: (given) => ([...given].length >= 10 ? given : undefined),
}

const SIZE_UNITS: Record<string, number> = {
  '': 1,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
  TIB: 2 ** 40,
}

export function sizeAtLeast(bytesMin: number, shown: string): Parser<number> {
  return {
    accepts: `a size of at least ${shown}, such as 400MB, 1.5GB or a number of bytes`,
    parse(given) {
      const bytes = sizeInBytes(given)
      return bytes !== undefined && bytes >= bytesMin ? bytes : undefined
    },
  }
}

export type DiskSpace = { readonly bytes: number } | { readonly percent: number }

export const diskSpace: Parser<DiskSpace> = {
  accepts: 'a size such as 1GB, or a share of the disk such as 5%',
  parse(given) {
    const percent = given.match(/^(\d+(?:\.\d+)?)\s*%$/)?.[1]
    if (percent !== undefined) return Number(percent) < 100 ? Object.freeze({ percent: Number(percent) }) : undefined
    const bytes = sizeInBytes(given)
    return bytes === undefined ? undefined : Object.freeze({ bytes })
  },
}

/** An address that others append paths to, therefore without a slash at its end. */
export const webAddress: Parser<string> = {
  accepts: 'a http:// or https:// URL without user, query or fragment',
  parse(given) {
    const url = httpUrl(given)
    if (!url || url.username || url.password || /[?#]/.test(given)) return undefined
    return (url.origin + url.pathname).replace(/\/+$/, '')
  },
}

/** An issuer is compared letter by letter with what its tokens say, so it stays as it was given. */
export const issuer: Parser<string> = {
  accepts: webAddress.accepts,
  parse: (given) => (webAddress.parse(given) === undefined ? undefined : given),
}

export const origins: Parser<readonly string[]> = {
  accepts: 'origins separated by commas, such as https://app.example.com',
  parse: (given) =>
    listOf(given, (item) => {
      const url = httpUrl(item)
      return url && (url.href === item || url.href === `${item}/`) && url.href === `${url.origin}/`
        ? url.origin
        : undefined
    }),
}

export const networks: Parser<readonly string[]> = {
  accepts: 'addresses or networks separated by commas, such as 10.0.0.0/8,192.168.1.7',
  parse: (given) =>
    listOf(given, (item) => {
      const [address = '', prefix, ...rest] = item.split('/')
      const family = isIP(address)
      if (!family || address.includes('%') || rest.length > 0) return undefined
      const fits = prefix === undefined || wholeNumber(prefix, 0, family === 4 ? 32 : 128) !== undefined
      return fits ? item : undefined
    }),
}

export function oneOf<const T extends string>(...choices: T[]): Parser<T> {
  return {
    accepts: `one of ${choices.join(', ')}`,
    parse: (given) => choices.find((choice) => choice === given.toLowerCase()),
  }
}

/** A choice that will have others one day, which are refused by name until then. */
export function onlyYet<const T extends string>(choice: T, later: string): Parser<T> {
  return {
    accepts: `${choice} (${later} comes in a later release)`,
    parse: (given) => (given.toLowerCase() === choice ? choice : undefined),
  }
}

function wholeNumber(given: string, min: number, max: number): number | undefined {
  if (!/^\d{1,12}$/.test(given)) return undefined
  const value = Number(given)
  return value >= min && value <= max ? value : undefined
}

function sizeInBytes(given: string): number | undefined {
  const [, amount, unit = ''] = given.match(/^(\d+(?:\.\d+)?)\s*([a-z]*)$/i) ?? []
  const factor = SIZE_UNITS[unit.toUpperCase()]
  if (amount === undefined || factor === undefined) return undefined
  const bytes = Math.round(Number(amount) * factor)
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

function httpUrl(given: string): URL | undefined {
  if (!/^https?:\/\/[^/\s]/i.test(given) || /\s/.test(given)) return undefined
  return URL.canParse(given) ? new URL(given) : undefined
}

function listOf(given: string, parseItem: (item: string) => string | undefined): readonly string[] | undefined {
  const items: string[] = []
  for (const part of given === '' ? [] : given.split(',')) {
    const item = parseItem(part.trim())
    if (item === undefined) return undefined
    items.push(item)
  }
  return Object.freeze(items)
}
