import { type Attributes, SpanKind } from '@opentelemetry/api'
import type { RecordedSpan } from '../emit/recorded-span.ts'
import type { Process } from '../engine/kernel.ts'
import { type Operation, operationOf } from '../topology/operation.ts'
import { ENTRY_SERVICE } from '../topology/services.ts'
import { Fault, grpcStatusOf } from './fault.ts'
import { asFault, exceptionAttributes, type Frame, recordException, say } from './frame.ts'
import type { Instance } from './instance.ts'
import { runSteps } from './run-steps.ts'
import type { Reply, Request, Shop } from './shop.ts'
import { fillIn, type Visit } from './visit.ts'

/**
 * What an instance does with a request: takes it from the network (here the span begins), waits for a worker, works,
 * answers. A full backlog is refused at once.
 */
export function* serveRequest(shop: Shop, instance: Instance, request: Request): Process<Reply> {
  const operation = operationOf(request.operation)
  const arrivedMs = shop.kernel.nowMs
  const span = shop.recorder.startSpan({
    name: operation.name,
    kind: SpanKind.SERVER,
    parent: request.caller,
    attributes: requestAttributes(instance, operation, request.visit),
    resource: instance.resource,
    scope: instance.dialect.scopes.server,
  })
  const frame: Frame = { shop, instance, visit: request.visit, span, operation: operation.name, held: undefined }
  instance.measures.activeRequests += 1
  const status = yield* workOn(frame)
  instance.measures.activeRequests -= 1
  instance.measures.requests += 1
  finish(span, operation, status)
  shop.recorder.endSpan(span)
  recordDuration(instance, operation, status, (shop.kernel.nowMs - arrivedMs) / 1000)
  return { status }
}

function* workOn(frame: Frame): Process<number> {
  const { instance, operation } = frame
  const steps = instance.release.operations[operation]
  if (steps === undefined) throw new Error(`${instance.spec.name} has no operation ${operation}.`)
  if (instance.workers.isFull) return refuse(frame)
  yield* instance.workers.enter()
  try {
    yield* runSteps(frame, steps)
    return 200
  } catch (error) {
    return fail(frame, asFault(error))
  } finally {
    instance.workers.leave()
  }
}

function refuse(frame: Frame): number {
  const { instance } = frame
  instance.measures.rejected += 1
  const message = `all ${instance.workers.places} workers are busy and ${instance.workers.waiting} requests wait`
  return fail(frame, new Fault(instance.dialect.rejectedType, message, 503))
}

function fail(frame: Frame, fault: Fault): number {
  frame.span.markFailed(fault.type, fault.message)
  recordException(frame, frame.span, fault)
  say(frame, 'error', `${frame.operation} failed: ${fault.message}`, exceptionAttributes(frame, fault))
  return fault.status
}

function requestAttributes(instance: Instance, operation: Operation, visit: Visit): Attributes {
  const customer = { 'tenant.id': visit.tenant, 'customer.plan': visit.plan, 'user.id': visit.userId }
  const address = instance.spec.name
  if (operation.protocol === 'grpc') {
    return {
      'rpc.system.name': 'grpc',
      'rpc.method': operation.method,
      'server.address': address,
      'server.port': 9090,
      ...customer,
    }
  }
  const attributes: Attributes = {
    'http.request.method': operation.method,
    'http.route': operation.route,
    'url.path': fillIn(operation.route, visit),
    'url.scheme': 'http',
    'server.address': address,
    'server.port': 8080,
    ...customer,
  }
  if (operation.route === '/search') attributes['url.query'] = `q=${encodeURIComponent(visit.searchTerm)}`
  if (address !== ENTRY_SERVICE) return attributes
  return { ...attributes, 'client.address': visit.clientAddress, 'user_agent.original': visit.userAgent }
}

function finish(span: RecordedSpan, operation: Operation, status: number): void {
  if (operation.protocol === 'grpc') span.attributes['rpc.response.status_code'] = grpcStatusOf(status)
  else span.attributes['http.response.status_code'] = status
}

function recordDuration(instance: Instance, operation: Operation, status: number, seconds: number): void {
  const { measures } = instance
  const key = `${operation.name} ${status}`
  if (operation.protocol === 'grpc') {
    measures.record(measures.rpc, key, seconds, () => ({
      'rpc.system.name': 'grpc',
      'rpc.method': operation.method,
      'rpc.response.status_code': grpcStatusOf(status),
    }))
    return
  }
  measures.record(measures.http, key, seconds, () => ({
    'http.request.method': operation.method,
    'http.route': operation.route,
    'http.response.status_code': status,
    'url.scheme': 'http',
  }))
}
