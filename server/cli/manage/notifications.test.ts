import { afterAll, beforeAll, expect, it } from 'vitest'
import { openReceiver, type Receiver } from '../../notify/testing/receiver.ts'
import { type MemoryServer, openMemoryServer } from '../testing/memory-server.ts'
import { type CliResult, faultline } from '../testing/test-shell.ts'

let server: MemoryServer
let receiver: Receiver
let owner: string

beforeAll(async () => {
  server = await openMemoryServer()
  receiver = await openReceiver()
  owner = await server.key(['read', 'ingest', 'manage'], 'Owner')
})
afterAll(async () => {
  await receiver.close()
  await server.close()
})

function cli(args: string[], stdin = ''): Promise<CliResult> {
  return faultline(args, { FAULTLINE_URL: server.url, FAULTLINE_API_KEY: owner }, stdin)
}

it('adds, lists, tests and removes channels', async () => {
  const added = await cli(['channels', 'add', 'Pager', '--webhook', receiver.url])
  expect(added.stdout).toMatch(/Pager +webhook +http:.*not shown again:\n\n {2}fls_\S+\n/s)
  expect((await cli(['channels', 'list'])).stdout).toMatch(/Pager +webhook +http:\/\/127\.0\.0\.1:\d+\n/)
  expect(await cli(['channels', 'test', 'Pager'])).toMatchObject({ exitCode: 0, stdout: 'Delivered.\n' })
  expect(receiver.received).toHaveLength(1)
  receiver.answer = (response) => void response.writeHead(500).end()
  expect(await cli(['channels', 'test', 'Pager'])).toMatchObject({
    exitCode: 1,
    stderr: 'faultline: The receiver answered 500.\n',
  })
  expect((await cli(['channels', 'deliveries', 'Pager'])).stdout).toMatch(
    /given up +1 +- +test +The receiver answered 500\.\n.*delivered +1 +- +test/s,
  )
  expect((await cli(['channels', 'remove', 'Pager'])).stdout).toBe('Removed.\n')
  expect((await cli(['channels', 'remove', 'Pager'])).stderr).toBe(
    'faultline: This Grid has no notification channel Pager.\n',
  )
})

it('reads the password of a mail server from standard input, and shows it nowhere', async () => {
  const mail = ['--email', 'a@example.com, b@example.com', '--smtp', 'smtp.example.com', '--from', 'f@example.com']
  const added = await cli(
    ['channels', 'add', 'Mail', ...mail, '--smtp-user', 'me', '--password-stdin'],
    'pass of the server\n',
  )
  expect(added).toMatchObject({ exitCode: 0 })
  expect(added.stdout).toMatch(/Mail +email +a@example.com, b@example.com\n/)
  expect(added.stdout).not.toContain('pass of the server')
  const [channel] = await server.control.channels.list(server.gridId)
  expect(await server.control.channels.secretOf(server.gridId, channel?.id ?? '')).toBe('pass of the server')
  expect(await cli(['channels', 'add', 'Mail', '--email', 'a@example.com'])).toMatchObject({ exitCode: 2 })
  expect(await cli(['channels', 'add', 'Nothing'])).toMatchObject({ exitCode: 2 })
})

it('changes a channel, and keeps what was not mentioned', async () => {
  await cli(['channels', 'add', 'Hook', '--webhook', `${receiver.url}/?token=secret`])
  expect((await cli(['channels', 'update', 'Hook', '--name', 'Bell'])).stdout).toMatch(/Bell +webhook/)
  const stored = async (name: string) =>
    (await server.control.channels.list(server.gridId)).find((channel) => channel.name === name)?.target
  expect(await stored('Bell')).toMatchObject({ url: `${receiver.url}/?token=secret` })
  await cli(['channels', 'update', 'Bell', '--webhook', `${receiver.url}/other`])
  expect(await stored('Bell')).toMatchObject({ url: `${receiver.url}/other` })
  expect(await cli(['channels', 'update', 'Bell', '--slack', receiver.url])).toMatchObject({ exitCode: 2 })
  expect(await cli(['channels', 'update', 'Mail', '--smtp-port', '2525'])).toMatchObject({ exitCode: 0 })
  expect(await stored('Mail')).toMatchObject({ port: 2525, host: 'smtp.example.com', username: 'me' })
  const mail = (await server.control.channels.list(server.gridId)).find(({ name }) => name === 'Mail')
  expect(await server.control.channels.secretOf(server.gridId, mail?.id ?? '')).toBe('pass of the server')
})

it('adds, lists and ends silences', async () => {
  const added = await cli(['silences', 'add', '--for', '2h', '--service', 'cart', '--reason', 'moving', '--json'])
  const silence = JSON.parse(added.stdout)
  expect(Date.parse(silence.endsAt) - Date.now()).toBeGreaterThan(7_100_000)
  expect((await cli(['silences', 'list'])).stdout).toMatch(/every +cart .* moving\n/)
  expect((await cli(['silences', 'end', silence.id])).stdout).toBe('Ended.\n')
  expect(await cli(['silences', 'end', silence.id])).toMatchObject({ exitCode: 1 })
  expect(await cli(['silences', 'add'])).toMatchObject({ exitCode: 2 })
})
