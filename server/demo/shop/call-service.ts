import { type Attributes, SpanKind } from '@opentelemetry/api'
import type { RecordedSpan } from '../emit/recorded-span.ts'
import type { Process } from '../engine/kernel.ts'
import { type Operation, operationOf } from '../topology/operation.ts'
import type { Step } from '../topology/step.ts'
import { callWithTimeout, withRetries } from './call-with-timeout.ts'
import { Fault, grpcStatusOf } from './fault.ts'
import { type Frame, recordException, say, startChild } from './frame.ts'
import type { Reply } from './shop.ts'
import { fillIn } from './visit.ts'

type Call = Extract<Step, { do: 'call' }>

/** Asks another service, with a time limit and retries; a fault is thrown unless the page can do without the answer. */
export function* callService(frame: Frame, step: Call): Process<void> {
  const fault = yield* withRetries(frame.shop.kernel, step.retries, (attempt) => callOnce(frame, step, attempt))
  if (fault === undefined) return
  if (!step.optional) throw fault
  say(frame, 'warn', `Went on without ${step.service}: ${fault.message}`, { 'peer.service': step.service })
}

function* callOnce(frame: Frame, step: Call, attempt: number): Process<Fault | undefined> {
  const { shop, instance } = frame
  const operation = operationOf(step.operation)
  const span = startChild(frame, {
    name: operation.name,
    kind: SpanKind.CLIENT,
    scope: instance.dialect.scopes.client,
    attributes: requestAttributes(frame, step, operation),
  })
  if (attempt > 0) span.attributes['http.request.resend_count'] = attempt
  const reply = yield* callWithTimeout<Reply>(shop.kernel, step.timeoutMs, (answer) =>
    sendOver(frame, step, span, answer),
  )
  const fault = reply === undefined ? timedOut(frame, step, span) : judge(frame, step, operation, reply, span)
  shop.recorder.endSpan(span)
  if (fault !== undefined && attempt < step.retries && fault.isPassing) say(frame, 'warn', `Retrying: ${fault.message}`)
  return fault
}

/** There and back over the network, a fraction of a millisecond each way. */
function sendOver({ shop, visit }: Frame, step: Call, span: RecordedSpan, answer: (reply: Reply) => void): void {
  const networkMs = (): number => shop.random.lognormal(0.35, 0.4)
  shop.kernel.after(networkMs(), () => {
    const request = { operation: step.operation, visit, caller: span.context }
    const chosen = shop.service(step.service).choose()
    shop.kernel.spawn(shop.serve(chosen, request), (reply) => shop.kernel.after(networkMs(), () => answer(reply)))
  })
}

function requestAttributes({ visit }: Frame, step: Call, operation: Operation): Attributes {
  if (operation.protocol === 'grpc') {
    return {
      'rpc.system.name': 'grpc',
      'rpc.method': operation.method,
      'server.address': step.service,
      'server.port': 9090,
    }
  }
  return {
    'http.request.method': operation.method,
    'url.template': operation.route,
    'url.full': `http://${step.service}:8080${fillIn(operation.route, visit)}`,
    'server.address': step.service,
    'server.port': 8080,
  }
}

function timedOut(frame: Frame, step: Call, span: RecordedSpan): Fault {
  const type = frame.instance.dialect.timeoutType
  const fault = new Fault(type, `${step.service}: no answer to ${step.operation} within ${step.timeoutMs} ms`, 504)
  span.markFailed(type, fault.message)
  recordException(frame, span, fault)
  return fault
}

/** Turns the answer into attributes and, where it is a failure, into the caller's own fault. */
function judge(frame: Frame, step: Call, operation: Operation, reply: Reply, span: RecordedSpan): Fault | undefined {
  const isGrpc = operation.protocol === 'grpc'
  const shown = isGrpc ? grpcStatusOf(reply.status) : String(reply.status)
  if (isGrpc) span.attributes['rpc.response.status_code'] = shown
  else span.attributes['http.response.status_code'] = reply.status
  if (reply.status < 400) return undefined
  span.markFailed(shown, '')
  const status = reply.status === 503 ? 503 : 502
  return new Fault(
    frame.instance.dialect.answerType,
    `${step.service} answered ${step.operation} with ${shown}`,
    status,
  )
}
