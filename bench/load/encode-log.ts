import { keyValue } from './encode-span.ts'
import type { Random } from './random.ts'
import { type AttributeValue, nameOf } from './span-attributes.ts'
import type { PlannedKind, PlannedSpan } from './trace-plan.ts'
import { WireWriter } from './wire-writer.ts'

const [DEBUG, INFO, WARN, ERROR] = [5, 9, 13, 17]
const SEVERITY_TEXTS: Record<number, string> = { [DEBUG]: 'DEBUG', [INFO]: 'INFO', [WARN]: 'WARN', [ERROR]: 'ERROR' }

type Statement = [severity: number, text: (span: PlannedSpan) => string]

const UUID = '{hex 8}-{hex 4}-4{hex 3}-a{hex 3}-{hex 12}'

/** What a service writes in a span of each kind; the first more often than the others. */
const STATEMENTS: Record<PlannedKind, Statement[]> = {
  server: [
    [INFO, (span) => `${nameOf(span)} answered 200 in {digits 3} ms for user-{user 5} (10.2.{digits 2}.1{digits 2})`],
    [INFO, (span) => `Accepted request ${UUID} of user-{user 5} on ${nameOf(span)}`],
    [DEBUG, () => 'Session {hex 16} resumed, {digits 2} items in cart, locale de-DE'],
  ],
  'http-client': [
    [
      DEBUG,
      (span) => `Calling ${span.peer?.name}: ${nameOf(span)} https://${span.peer?.name}.shop.svc:8443/v2/{hex 10}`,
    ],
    [INFO, (span) => `${span.peer?.name} answered after {digits 3} ms with 200 and {digits 5} bytes`],
    [WARN, (span) => `Slow answer of ${span.peer?.name}: {digits 4} ms, retry budget at {digits 2} %`],
  ],
  database: [
    [
      DEBUG,
      (span) => `${nameOf(span)} took {digits 2} ms and returned {digits 2} rows [pool=${span.service.name}-primary]`,
    ],
    [DEBUG, (span) => `Acquired connection {digits 2} of ${span.service.name}-primary after {digits 2} ms`],
  ],
  internal: [
    [INFO, (span) => `Cache miss for key ${span.service.name}:session:{hex 16}, loading from ${span.service.database}`],
    [DEBUG, (span) => `${nameOf(span)} evaluated flag checkout-v2=true for tenant tenant-{digits 3}`],
    [INFO, () => 'Applied coupon SUMMER{digits 4} to order ord-{digits 8}, total {digits 4}.{digits 2} EUR'],
  ],
  producer: [
    [INFO, (span) => `Published message ${UUID} to ${span.service.topic} partition {digits 1} offset {digits 7}`],
  ],
  consumer: [
    [INFO, (span) => `Processed message ${UUID} of ${span.service.topic} in {digits 3} ms, lag {digits 3}`],
    [WARN, (span) => `Message ${UUID} of ${span.service.topic} was delivered twice, skipping`],
  ],
}

const FAILURES: Statement[] = [
  [ERROR, (span) => `Connection to ${span.service.name}-primary timed out after 2000 ms (attempt {digits 1} of 3)`],
  [
    ERROR,
    (span) => `${nameOf(span)} failed for user-{user 5}: no connection became free within 500 ms, waiting: {digits 2}`,
  ],
  [WARN, () => 'Retrying order ord-{digits 8} after connect ECONNREFUSED 10.1.{digits 2}.{digits 2}:5432'],
]

/** opentelemetry.proto.logs.v1.LogRecord of a span, with blanks for what differs each time it is sent. */
export function encodeLog(span: PlannedSpan, random: Random): WireWriter {
  const statements = span.failed ? FAILURES : STATEMENTS[span.kind]
  const [severity, text] = random.unit() < 0.6 ? (statements[0] as Statement) : random.pick(statements)
  const writer = new WireWriter()
    .time(1, 'startNs')
    .integer(2, severity)
    .string(3, SEVERITY_TEXTS[severity] ?? '')
    .message(5, new WireWriter().template(1, text(span)))
  for (const [key, value] of Object.entries(attributesOf(span, random))) writer.message(6, keyValue(key, value))
  return writer.id(9, 'traceId').id(10, 'spanId').time(11, 'endNs')
}

function attributesOf({ service, kind, failed }: PlannedSpan, random: Random): Record<string, AttributeValue> {
  return {
    'user.id': 'user-{user 5}',
    'logger.name': `com.shop.${service.name.replaceAll('-', '.')}.${kind}`,
    'thread.name': `worker-${random.below(64)}`,
    'code.line.number': random.below(800),
    ...(failed ? { 'exception.type': 'TimeoutError', 'exception.message': 'no answer within 2000 ms' } : {}),
  }
}
