import { once } from 'node:events'
import { type AddressInfo, createServer as createPlainServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

export interface Mail {
  from: string
  to: string[]
  /** User and password, where the sender signed in. */
  credentials: string[] | undefined
  /** Headers, an empty line, and the text, as they were sent. */
  data: string
}

export interface MailServer {
  port: number
  mails: Mail[]
  /** The answer to a mail; by default that it was taken. */
  answer: string
  close(): Promise<void>
}

/** As much of a mail server as it takes to be sent a mail. */
export async function openMailServer(tls?: TlsOptions): Promise<MailServer> {
  const sockets = new Set<Socket>()
  const serve = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    converse(socket, mailServer)
  }
  const server = tls ? createTlsServer(tls, serve) : createPlainServer(serve)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const mailServer: MailServer = {
    port: (server.address() as AddressInfo).port,
    mails: [],
    answer: '250 taken',
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return mailServer
}

function converse(socket: Socket, server: MailServer): void {
  let mail: Mail = { from: '', to: [], credentials: undefined, data: '' }
  let pending = ''
  let inData = false
  const say = (line: string) => socket.write(`${line}\r\n`)

  function hear(line: string): void {
    if (inData) {
      if (line !== '.') {
        mail.data += `${line.replace(/^\./, '')}\n`
        return
      }
      inData = false
      server.mails.push(mail)
      mail = { ...mail, to: [], data: '' }
      say(server.answer)
      return
    }
    const [command = ''] = line.toUpperCase().split(/[ :]/)
    if (command === 'EHLO') say('250-mail.example\r\n250 AUTH PLAIN')
    else if (command === 'AUTH') {
      const [, user = '', password = ''] = Buffer.from(line.split(' ')[2] ?? '', 'base64')
        .toString()
        .split('\0')
      mail.credentials = [user, password]
      say('235 welcome')
    } else if (command === 'MAIL') {
      mail.from = addressIn(line)
      say('250 yes')
    } else if (command === 'RCPT') {
      mail.to.push(addressIn(line))
      say('250 yes')
    } else if (command === 'DATA') {
      inData = true
      say('354 go on')
    } else if (command === 'QUIT') {
      say('221 bye')
      socket.end()
    } else say('502 what?')
  }

  say('220 mail.example')
  socket.setEncoding('utf8').on('data', (text) => {
    pending += text
    const lines = pending.split('\r\n')
    pending = lines.pop() ?? ''
    for (const line of lines) hear(line)
  })
}

function addressIn(line: string): string {
  return /<(.*)>/.exec(line)?.[1] ?? ''
}
