import { describe, expect, test } from 'vitest'
import {
  apiKey,
  diskSpace,
  host,
  issuer,
  networks,
  oneOf,
  origins,
  type Parser,
  password,
  port,
  requestsPerMinute,
  secondsAsMs,
  sizeAtLeast,
  uuid,
  webAddress,
} from './parsers.ts'

interface Cases<T> {
  parser: Parser<T>
  accepted: [text: string, value: T][]
  refused: string[]
}

const UUID = '6f1d2c3b-4a59-4e87-9c10-2b3d4e5f6a7b'

const cases: Record<string, Cases<unknown>> = {
  port: {
    parser: port,
    accepted: [
      ['0', 0],
      ['65535', 65535],
    ],
    refused: ['65536', '-1', '80.5', '0x50', '1e3', ' ', 'http'],
  },
  'requests a minute': {
    parser: requestsPerMinute,
    accepted: [['600', 600]],
    refused: ['0', '1.5', '-5', 'none', '99999999999999999999'],
  },
  seconds: {
    parser: secondsAsMs,
    accepted: [
      ['30', 30_000],
      ['0.5', 500],
    ],
    refused: ['0', '-1', '30s', '3601', 'Infinity', 'NaN'],
  },
  host: {
    parser: host,
    accepted: [
      ['0.0.0.0', '0.0.0.0'],
      ['::1', '::1'],
      ['localhost', 'localhost'],
      ['my-box.lan', 'my-box.lan'],
    ],
    refused: ['127.0.0.300', 'http://x', 'a b', 'localhost:80', '-x'],
  },
  UUID: {
    parser: uuid,
    accepted: [[UUID.toUpperCase(), UUID]],
    refused: ['6f1d2c3b', `${UUID}0`, UUID.replaceAll('-', ''), `{${UUID}}`],
  },
  'API key': {
    parser: apiKey,
    accepted: [
      ['0123456789abcdef', '0123456789abcdef'],
      ['with blanks, commas=and more', 'with blanks, commas=and more'],
    ],
    refused: ['0123456789abcde', ' 123456789abcdef', '0123456789abcde\n', 'пароль-из-букв-нет'],
  },
  password: {
    parser: password,
    accepted: [['пароль-ключ', 'пароль-ключ']],
    refused: ['123456789', '😀😀😀😀😀😀'],
  },
  size: {
    parser: sizeAtLeast(64e6, '64MB'),
    accepted: [
      ['400MB', 400_000_000],
      ['1.5GB', 1_500_000_000],
      ['512 MiB', 536_870_912],
      ['1gb', 1_000_000_000],
      ['64000000', 64_000_000],
    ],
    refused: ['63MB', '400M', '-1GB', 'GB', '50%', '1e9', '9999999TB'],
  },
  'disk space': {
    parser: diskSpace,
    accepted: [
      ['1GB', { bytes: 1_000_000_000 }],
      ['5%', { percent: 5 }],
      ['2.5 %', { percent: 2.5 }],
      ['0', { bytes: 0 }],
    ],
    refused: ['100%', '-5%', 'a lot'],
  },
  'web address': {
    parser: webAddress,
    accepted: [
      ['https://o11y.example.com/', 'https://o11y.example.com'],
      ['http://127.0.0.1:8080/under/this/', 'http://127.0.0.1:8080/under/this'],
    ],
    refused: ['o11y.example.com', 'ftp://x', 'https://', 'https://u:p@x', 'https://x?a=1', 'https://x#a', 'https:///x'],
  },
  issuer: {
    parser: issuer,
    accepted: [['https://id.example.com/realms/a/', 'https://id.example.com/realms/a/']],
    refused: ['id.example.com', 'https://x?a=1'],
  },
  origins: {
    parser: origins,
    accepted: [
      ['', []],
      ['https://a.example, http://localhost:5173/', ['https://a.example', 'http://localhost:5173']],
    ],
    refused: ['*', 'https://a.example/path', 'a.example', 'https://a.example,', 'https://u@a.example'],
  },
  networks: {
    parser: networks,
    accepted: [
      ['', []],
      ['10.0.0.0/8, ::1,fd00::/8', ['10.0.0.0/8', '::1', 'fd00::/8']],
    ],
    refused: ['10.0.0.0/33', 'fd00::/129', '10.0.0', 'proxy.lan', '10.0.0.1/8/8', '10.0.0.1/', ','],
  },
  choice: {
    parser: oneOf('info', 'warn'),
    accepted: [['WARN', 'warn']],
    refused: ['verbose'],
  },
}

describe.each(Object.entries(cases))('%s', (_name, { parser, accepted, refused }) => {
  test.each(accepted)('takes %j as %j', (text, value) => {
    expect(parser.parse(text)).toEqual(value)
  })
  test.each(refused)('refuses %j', (text) => {
    expect(parser.parse(text)).toBeUndefined()
  })
})
