import { isIP } from 'node:net'
import type { Attempt } from '../control/notification-store.ts'
import type { ChannelTarget } from '../domain/notification-channel.ts'
import type { AddressGuard } from './address-guard.ts'
import { failedAttempt } from './failed-attempt.ts'
import type { NotificationMessage } from './message.ts'
import { messageText, messageTitle } from './message-text.ts'
import { withSignal } from './post.ts'

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
  let close = () => {}
  try {
    const [address] = await withSignal(guard.addressesOf(target.host), signal)
    const transport = createTransport({
      // The address that was checked; the certificate must be that of the name.
      host: address?.address ?? target.host,
      port: target.port,
      secure: target.security === 'tls',
      requireTLS: target.security === 'starttls',
      ignoreTLS: target.security === 'none',
      ...(isIP(target.host) === 0 && { tls: { servername: target.host } }),
      ...(target.username !== '' && { auth: { user: target.username, pass: password } }),
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    close = () => transport.close()
    const mail = {
      from: target.from,
      to: target.to,
      subject: messageTitle(message),
      text: messageText(message, TEXT_CHARS_MAX),
      messageId: `<${message.deliveryId}@faultline>`,
      headers: { 'Faultline-Delivery': message.deliveryId, 'Auto-Submitted': 'auto-generated' },
    }
    await withSignal(transport.sendMail(mail), signal)
    return { delivered: true, statusCode: null, error: '' }
  } catch (error) {
    return failedAttempt(error)
  } finally {
    close()
  }
}
