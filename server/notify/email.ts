import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Attempt } from '../control/notification-store.ts'
import type { ChannelTarget } from '../domain/notification-channel.ts'
import type { AddressGuard } from './address-guard.ts'
import { checkedLookup } from './checked-lookup.ts'
import { failedAttempt } from './failed-attempt.ts'
import type { NotificationMessage } from './message.ts'
import { messageText, messageTitle } from './message-text.ts'
import { orAborted } from './within-time.ts'

type EmailTarget = Extract<ChannelTarget, { kind: 'email' }>

const TEXT_CHARS_MAX = 100_000

/** One mail to all recipients. A repeated one has the same Message-ID, by which mail programs know it again. */
export async function sendEmail(
  guard: AddressGuard,
  target: EmailTarget,
  password: string,
  message: NotificationMessage,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<Attempt> {
  const { createTransport } = await import('nodemailer')
  let socket: Socket | undefined
  try {
    const addresses = await orAborted(guard.addressesOf(target.host), signal)
    socket = connect({ host: target.host, port: target.port, lookup: checkedLookup(addresses) })
    // Whoever waits for it is told too; without a listener it would end the process.
    socket.on('error', () => undefined)
    await orAborted(once(socket, 'connect'), signal)
    const transport = createTransport({
      connection: socket,
      // The certificate must be that of this name.
      host: target.host,
      secure: target.security === 'tls',
      requireTLS: target.security === 'starttls',
      ignoreTLS: target.security === 'none',
      ...(target.username !== '' && { auth: { user: target.username, pass: password } }),
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    const mail = {
      from: target.from,
      to: target.to,
      subject: messageTitle(message),
      text: messageText(message, TEXT_CHARS_MAX),
      messageId: `<${message.deliveryId}@faultline>`,
      headers: { 'Faultline-Delivery': message.deliveryId, 'Auto-Submitted': 'auto-generated' },
    }
    await orAborted(transport.sendMail(mail), signal)
    return { delivered: true, statusCode: null, error: '' }
  } catch (error) {
    return failedAttempt(error)
  } finally {
    socket?.destroy()
  }
}
