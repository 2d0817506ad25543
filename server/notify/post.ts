import type { Attempt } from '../control/notification-store.ts'
import type { AddressGuard } from './address-guard.ts'
import { failedAttempt } from './failed-attempt.ts'

const ANSWER_BYTES_MAX = 16_384

export interface Posted {
  url: string
  headers: Record<string, string>
  body: string
  signal: AbortSignal
}

/**
 * One request, to an address that was checked and no other: what the name leads to a moment later does not matter. It is
 * delivered where the receiver says so by its status. Redirects are not followed.
 */
export async function post(guard: AddressGuard, { url, headers, body, signal }: Posted): Promise<Attempt> {
  const { Agent, request } = await import('undici')
  const { hostname } = new URL(url)
  let agent: InstanceType<typeof Agent> | undefined
  try {
    const addresses = await withSignal(guard.addressesOf(hostname), signal)
    agent = new Agent({
      connect: {
        // Asked for names only; an address in the URL was checked as it is.
        lookup: (_host, { all }, found) => {
          const [first] = addresses
          if (all) found(null, addresses)
          else found(null, first?.address ?? '', first?.family)
        },
      },
    })
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

/** Resolving a name cannot be called off. */
export function withSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
