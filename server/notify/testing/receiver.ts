import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { NotificationMessage } from '../message.ts'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
  message: NotificationMessage
}

export interface Receiver {
  url: string
  /** Everything that came, whatever was answered. */
  received: Received[]
  /** Answers from now on; by default 204. */
  answer: (response: ServerResponse) => void
  /** Resolves once so much has come. */
  until(count: number): Promise<void>
  close(): Promise<void>
}

export const HANG = () => undefined
export const FAIL = (response: ServerResponse) => void response.writeHead(503).end('no')
export const TAKE = (response: ServerResponse) => void response.writeHead(204).end()

/** Somebody whom notifications are sent to. */
export async function openReceiver(port = 0): Promise<Receiver> {
  let waiting: { count: number; resolve: () => void }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    receiver.received.push({ path: request.url ?? '', headers: request.headers, body, message: JSON.parse(body) })
    waiting = waiting.filter(({ count, resolve }) => receiver.received.length < count || resolve())
    receiver.answer(response)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: TAKE,
    until: (count) =>
      new Promise((resolve) => {
        if (receiver.received.length >= count) resolve()
        else waiting.push({ count, resolve })
      }),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}
