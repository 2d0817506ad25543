import { SpanKind } from '@opentelemetry/api'
import type { Process } from '../engine/kernel.ts'
import { APIS } from '../topology/dependencies.ts'
import { operationOf } from '../topology/operation.ts'
import type { Step } from '../topology/step.ts'
import { callWithTimeout, withRetries } from './call-with-timeout.ts'
import { Fault } from './fault.ts'
import { type Frame, recordException, say, startChild } from './frame.ts'

type External = Extract<Step, { do: 'external' }>

/** Asks another company's API. Its inside is unknown: it answers after a while, now and then with a failure. */
export function* callExternal(frame: Frame, step: External): Process<void> {
  const fault = yield* withRetries(frame.shop.kernel, step.retries, (attempt) => callOnce(frame, step, attempt))
  if (fault !== undefined) throw fault
}

function* callOnce(frame: Frame, step: External, attempt: number): Process<Fault | undefined> {
  const { shop, instance } = frame
  const { address } = APIS[step.api]
  const { name, method, route } = httpOf(step.operation)
  const span = startChild(frame, {
    name,
    kind: SpanKind.CLIENT,
    scope: instance.dialect.scopes.client,
    attributes: {
      'http.request.method': method,
      'url.template': route,
      'url.full': `https://${address}${route}`,
      'server.address': address,
      'server.port': 443,
    },
  })
  if (attempt > 0) span.attributes['http.request.resend_count'] = attempt
  const status = yield* callWithTimeout<number>(shop.kernel, step.timeoutMs, (answer) => ask(frame, step, answer))
  const fault = faultOf(frame, step, status)
  if (status !== undefined) span.attributes['http.response.status_code'] = status
  if (fault !== undefined) span.markFailed(status === undefined ? fault.type : String(status), fault.message)
  if (fault !== undefined && status === undefined) recordException(frame, span, fault)
  shop.recorder.endSpan(span)
  if (fault !== undefined) say(frame, 'warn', `${address} attempt ${attempt + 1} failed: ${fault.message}`)
  return fault
}

function ask({ shop }: Frame, step: External, answer: (status: number) => void): void {
  const { medianMs, sigma, errorShare } = APIS[step.api]
  const tookMs = shop.random.lognormal(medianMs * (shop.apiSlowdown.get(step.api) ?? 1), sigma)
  const status = shop.random.chance(errorShare) ? 503 : 200
  shop.kernel.after(tookMs, () => answer(status))
}

function faultOf({ instance: { dialect } }: Frame, step: External, status: number | undefined): Fault | undefined {
  const { address } = APIS[step.api]
  if (status === undefined) {
    return new Fault(dialect.timeoutType, `${address}: no answer within ${step.timeoutMs} ms`, 504)
  }
  return status < 400 ? undefined : new Fault(dialect.answerType, `${address} answered with ${status}`, 503)
}

function httpOf(name: string): { name: string; method: string; route: string } {
  const operation = operationOf(name)
  if (operation.protocol !== 'http') throw new Error(`${name} is no HTTP operation.`)
  return operation
}
