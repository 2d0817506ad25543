import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterEach, expect, it } from 'vitest'
import { guardConnections } from './connection-guard.ts'
import { createSelfSigned } from './testing/self-signed-fixture.ts'

const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 10_000 })

const servers: Server[] = []
const clients: Socket[] = []

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
})

async function listen(server: Server): Promise<number> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return address.port
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  // A connection that was turned away may show it as an error.
  socket.on('error', () => undefined)
  clients.push(socket)
  await once(socket, 'connect')
  return socket
}

const REQUEST = 'GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n'

async function ask(socket: Socket): Promise<string> {
  socket.write(REQUEST)
  const [chunk] = await once(socket, 'data')
  return String(chunk).slice(0, 15)
}

it('keeps to its limit under four times as many idle connections, and still answers a new one', async () => {
  const server = createServer((_request, response) => response.end('ready'))
  const guard = guardConnections(server, { connectionsMax: 50 })
  const port = await listen(server)
  const opened = await Promise.all(Array.from({ length: 200 }, () => open(port)))
  await eventually(() => guard.turnedAway).toBe(150)
  expect(guard.open).toBe(50)
  await eventually(() => opened.filter((socket) => socket.closed).length).toBe(150)
  expect(await ask(await open(port))).toBe('HTTP/1.1 200 OK')
  expect(guard.open).toBe(50)
})

it('closes a connection that never asked anything rather than one that did', async () => {
  const server = createServer((_request, response) => response.end('ready'))
  guardConnections(server, { connectionsMax: 3 })
  const port = await listen(server)
  const useful = await open(port)
  await ask(useful)
  const silent = await open(port)
  await open(port)
  const newcomer = await open(port)
  await once(silent, 'close')
  expect(await ask(newcomer)).toBe('HTTP/1.1 200 OK')
  expect(await ask(useful)).toBe('HTTP/1.1 200 OK')
})

it('closes the connection that has been idle longest where all have asked before', async () => {
  const server = createServer((_request, response) => response.end('ready'))
  guardConnections(server, { connectionsMax: 2 })
  const port = await listen(server)
  const first = await open(port)
  await ask(first)
  const second = await open(port)
  await ask(second)
  await ask(first)
  await open(port)
  await once(second, 'close')
  expect(await ask(first)).toBe('HTTP/1.1 200 OK')
})

it('refuses the newcomer where every connection has a request in progress', async () => {
  const waiting: ServerResponse[] = []
  const server = createServer((_request, response) => waiting.push(response))
  guardConnections(server, { connectionsMax: 2 })
  const port = await listen(server)
  const busy = [await open(port), await open(port)]
  for (const socket of busy) socket.write(REQUEST)
  await eventually(() => waiting.length).toBe(2)
  const newcomer = await open(port)
  await once(newcomer, 'close')
  const answers = busy.map((socket) => once(socket, 'data'))
  for (const response of waiting) response.end('late')
  for (const [chunk] of await Promise.all(answers)) expect(String(chunk)).toContain('200 OK')
})

it('counts a request as in progress until its whole body has arrived, though it was answered', async () => {
  const server = createServer((request, response) => {
    request.resume()
    response.end('early')
  })
  guardConnections(server, { connectionsMax: 1 })
  const port = await listen(server)
  const sender = await open(port)
  sender.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345')
  await once(sender, 'data')
  await once(await open(port), 'close')
  sender.write('67890')
  expect(await ask(sender)).toBe('HTTP/1.1 200 OK')
})

it('knows the requests of TLS connections too', async () => {
  const tls = createSelfSigned()
  const server = createTlsServer(tls, (_request, response) => response.end('ready'))
  guardConnections(server, { connectionsMax: 2 })
  const port = await listen(server)
  const useful = connectTls({ port, host: '127.0.0.1', ca: tls.cert })
  clients.push(useful)
  await once(useful, 'secureConnect')
  expect(await ask(useful)).toBe('HTTP/1.1 200 OK')
  const silent = await open(port)
  await open(port)
  await once(silent, 'close')
  expect(await ask(useful)).toBe('HTTP/1.1 200 OK')
})

it('gives a head that comes drop by drop only so much time', async () => {
  const server = createServer({ connectionsCheckingInterval: 20 }, (_request, response) => response.end())
  guardConnections(server, { headersTimeoutMs: 50 })
  const port = await listen(server)
  const slow = await open(port)
  slow.write('GET / HTTP/1.1\r\nHost')
  const [chunk] = await once(slow, 'data')
  expect(String(chunk)).toContain('408')
})
