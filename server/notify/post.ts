import type { Attempt } from '../control/notification-store.ts'
import type { AddressGuard } from './address-guard.ts'
import { checkedLookup } from './checked-lookup.ts'
import { failedAttempt } from './failed-attempt.ts'
import { orAborted } from './within-time.ts'

const ANSWER_BYTES_MAX = 16_384

export interface Posted {
  url: string
  headers: Record<string, string>
  body: string
  signal: AbortSignal
}

/**
 * One request, to an address that was checked and no other. It is delivered where the receiver says so by its status.
 * Redirects are not followed.
 */
export async function post(guard: AddressGuard, { url, headers, body, signal }: Posted): Promise<Attempt> {
  const { Agent, request } = await import('undici')
  const { hostname } = new URL(url)
  let agent: InstanceType<typeof Agent> | undefined
  try {
    const addresses = await orAborted(guard.addressesOf(hostname), signal)
    agent = new Agent({ connect: { lookup: checkedLookup(addresses) } })
    const answer = await request(url, { method: 'POST', headers, body, signal, dispatcher: agent })
    await answer.body.dump({ limit: ANSWER_BYTES_MAX, signal }).catch(() => undefined)
    const delivered = answer.statusCode >= 200 && answer.statusCode < 300
    return { delivered, statusCode: answer.statusCode, error: delivered ? '' : refusalText(answer.statusCode) }
  } catch (error) {
    return failedAttempt(error)
  } finally {
    await agent?.destroy()
  }
}

function refusalText(statusCode: number): string {
  const redirected = statusCode >= 300 && statusCode < 400
  return `The receiver answered ${statusCode}${redirected ? ', and redirects are not followed' : ''}.`
}
