import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import {
  Client,
  type ClientOptions,
  compressionAlgorithms,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../domain/store-errors.ts'
import { type ExportOutcome, MalformedRequest } from '../ingest/ingest.ts'
import { type GrpcReceiver, openGrpcReceiver } from './grpc.ts'
import { decodePartialSuccess, decodeStatus } from './testing/otlp-answer-fixture.ts'
import {
  createReceiverFixture,
  GRID_ID,
  INGEST_KEY,
  READ_KEY,
  type ReceiverFixture,
} from './testing/receiver-fixture.ts'
import { createSelfSigned } from './testing/self-signed-fixture.ts'

const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 10_000 })
const MIB = 1024 * 1024
const TRACES = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'
const GZIP: ClientOptions = { 'grpc.default_compression_algorithm': compressionAlgorithms.gzip }

let fixture: ReceiverFixture
let receiver: GrpcReceiver
const clients: Client[] = []

async function open(budgetBytes?: number): Promise<void> {
  fixture = createReceiverFixture(budgetBytes)
  receiver = await openGrpcReceiver({ receiver: fixture.receiver, host: '127.0.0.1', port: 0 })
}

beforeEach(() => open())

afterEach(async () => {
  for (const client of clients.splice(0)) client.close()
  await receiver.close(1_000)
})

function clientOf(options: ClientOptions = {}, channel = credentials.createInsecure()): Client {
  const client = new Client(`127.0.0.1:${receiver.port}`, channel, { 'grpc.max_send_message_length': -1, ...options })
  clients.push(client)
  return client
}

const asIs = (message: Buffer): Buffer => message

function call(client: Client, body: Buffer, key: string | undefined = INGEST_KEY, path = TRACES): Promise<Buffer> {
  const metadata = new Metadata()
  if (key !== '') metadata.set('api-key', key)
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, asIs, asIs, body, metadata, (error, answer) =>
      error === null ? resolve(answer ?? Buffer.alloc(0)) : reject(error),
    )
  })
}

async function refusal(answer: Promise<unknown>): Promise<ServiceError & { retryDelayMs: number | undefined }> {
  const error: ServiceError = await answer.then(
    () => {
      throw new Error('The call was not refused.')
    },
    (reason) => reason,
  )
  const details = error.metadata.get('grpc-status-details-bin')[0]
  const decoded = Buffer.isBuffer(details) ? decodeStatus('protobuf', details) : undefined
  if (decoded !== undefined) expect(decoded).toMatchObject({ code: error.code, message: error.details })
  return Object.assign(error, { retryDelayMs: decoded?.retryDelayMs })
}

const inFlightBytes = () => fixture.metric('faultline_otlp_in_flight_bytes')

describe('a gRPC export', () => {
  it('is handed over as it was sent, compressed or not', async () => {
    const body = Buffer.from('spans '.repeat(50_000))
    expect(await call(clientOf(), body)).toHaveLength(0)
    expect(await call(clientOf(GZIP), body)).toHaveLength(0)
    for (const request of fixture.requests) {
      expect(request).toMatchObject({ gridId: GRID_ID, signal: 'traces', encoding: 'protobuf' })
      expect(Buffer.from(request.body).equals(body)).toBe(true)
      expect(request.body.buffer.byteLength).toBe(body.length)
    }
    expect(fixture.requests).toHaveLength(2)
    expect(await inFlightBytes()).toBe('0')
  })

  it('may be empty, and may be 64 MiB large', async () => {
    await call(clientOf(), Buffer.alloc(0))
    await call(clientOf(), Buffer.alloc(64 * MIB))
    await call(clientOf(GZIP), Buffer.alloc(64 * MIB))
    expect(fixture.requests.map(({ body }) => body.length)).toEqual([0, 64 * MIB, 64 * MIB])
  })

  it('is told how many of its records were rejected', async () => {
    fixture.onExport = async () => ({ accepted: 1, rejected: 7, reason: 'too old', truncatedAttributes: 0 })
    expect(decodePartialSuccess(await call(clientOf(), Buffer.from('x')))).toEqual({
      rejected: 7,
      errorMessage: 'too old',
    })
  })

  it('works over TLS', async () => {
    const tls = createSelfSigned()
    await receiver.close(0)
    receiver = await openGrpcReceiver({ receiver: fixture.receiver, host: '127.0.0.1', port: 0, tls })
    await call(
      clientOf({ 'grpc.ssl_target_name_override': 'localhost' }, credentials.createSsl(Buffer.from(tls.cert))),
      Buffer.from('x'),
    )
    expect(fixture.requests).toHaveLength(1)
  })
})

describe('a gRPC call is refused', () => {
  it('as unauthenticated without a valid key, and without reading its message', async () => {
    expect((await refusal(call(clientOf(), Buffer.from('x'), ''))).code).toBe(status.UNAUTHENTICATED)
    expect((await refusal(call(clientOf(), Buffer.alloc(8 * MIB), 'wrong'))).code).toBe(status.UNAUTHENTICATED)
    expect(fixture.requests).toHaveLength(0)
  })

  it('for want of the scope or of a subscription', async () => {
    expect((await refusal(call(clientOf(), Buffer.from('x'), READ_KEY))).code).toBe(status.PERMISSION_DENIED)
    fixture.grid.subscriptionState = 'expired'
    fixture.nowMs += 1_000
    const error = await refusal(call(clientOf(), Buffer.from('x')))
    expect(error).toMatchObject({ code: status.PERMISSION_DENIED, details: expect.stringContaining('expired') })
  })

  it('as an invalid argument where it cannot be decoded', async () => {
    fixture.onExport = async () => {
      throw new MalformedRequest('ends too early: \ud800')
    }
    expect((await refusal(call(clientOf(), Buffer.from('x')))).code).toBe(status.INVALID_ARGUMENT)
  })

  it('as unavailable, with the time to come back, where the store is', async () => {
    fixture.onExport = async () => {
      throw new StoreUnavailable('The disk is nearly full.')
    }
    const error = await refusal(call(clientOf(), Buffer.from('x')))
    expect(error).toMatchObject({ code: status.UNAVAILABLE, details: 'The disk is nearly full.' })
    expect(error.retryDelayMs).toBeGreaterThan(0)
  })

  it('over the quota of its Grid, with the time to come back', async () => {
    fixture.grid.ingestQuota = 10
    fixture.onExport = async () => ({ accepted: 30, rejected: 0, reason: '', truncatedAttributes: 0 })
    await call(clientOf(), Buffer.from('x'))
    const error = await refusal(call(clientOf(), Buffer.from('x')))
    expect(error).toMatchObject({ code: status.RESOURCE_EXHAUSTED, retryDelayMs: 2_000 })
  })

  it('where it is larger than 64 MiB, and may not be tried again', async () => {
    const error = await refusal(call(clientOf(), Buffer.alloc(64 * MIB + 1)))
    expect(error).toMatchObject({ code: status.RESOURCE_EXHAUSTED, retryDelayMs: undefined })
    expect(fixture.requests).toHaveLength(0)
    await eventually(inFlightBytes).toBe('0')
  })

  it('for a service that is not there', async () => {
    const error = await refusal(call(clientOf(), Buffer.from('x'), INGEST_KEY, '/some.Service/Export'))
    expect(error.code).toBe(status.UNIMPLEMENTED)
  })

  it('when the budget is spent, until a call is answered', async () => {
    await receiver.close(0)
    await open(MIB)
    let finish = (_outcome: ExportOutcome): void => undefined
    fixture.onExport = () =>
      new Promise((resolve) => {
        finish = resolve
      })
    const first = call(clientOf(), Buffer.alloc(MIB))
    await eventually(() => fixture.requests.length).toBe(1)
    const error = await refusal(call(clientOf(), Buffer.from('x')))
    expect(error.code).toBe(status.UNAVAILABLE)
    expect(error.retryDelayMs).toBeGreaterThanOrEqual(1_000)
    finish({ accepted: 1, rejected: 0, reason: '', truncatedAttributes: 0 })
    await first
    expect(await inFlightBytes()).toBe('0')
  })

  it('in the middle of its message where the rest no longer fits', async () => {
    await receiver.close(0)
    await open(4 * MIB)
    fixture.intake.enter({ id: 'other', ingestQuota: null }).add(MIB)
    const error = await refusal(call(clientOf(), Buffer.alloc(8 * MIB)))
    expect(error.code).toBe(status.UNAVAILABLE)
    expect(error.retryDelayMs).toBeGreaterThanOrEqual(1_000)
    expect(fixture.requests).toHaveLength(0)
    await eventually(async () => Number(await inFlightBytes())).toBeLessThan(1.1 * MIB)
  })
})

describe('gRPC messages that were made to harm', () => {
  /** One call by hand, since no client compresses a bomb as tightly. */
  async function sendFrame(encoding: string, flag: number, message: Buffer): Promise<Record<string, unknown>> {
    const session = connectHttp2(`http://127.0.0.1:${receiver.port}`)
    const stream = session.request({
      ':method': 'POST',
      ':path': TRACES,
      'content-type': 'application/grpc',
      te: 'trailers',
      'grpc-encoding': encoding,
      'api-key': INGEST_KEY,
    })
    const head = Buffer.from([flag, 0, 0, 0, 0])
    head.writeUInt32BE(message.length, 1)
    stream.end(Buffer.concat([head, message]))
    let answer: Record<string, unknown> = {}
    stream.on('response', (headers) => Object.assign(answer, headers))
    stream.on('trailers', (trailers) => Object.assign(answer, trailers))
    stream.resume()
    await once(stream, 'close')
    session.close()
    answer = { ...answer, code: Number(answer['grpc-status']) }
    return answer
  }

  it('such as a gzip bomb are refused, within the budget', async () => {
    const before = process.memoryUsage().arrayBuffers
    const bomb = Buffer.concat(Array(200).fill(gzipSync(Buffer.alloc(32 * MIB))))
    expect(await sendFrame('gzip', 1, bomb)).toMatchObject({ code: status.RESOURCE_EXHAUSTED })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(256 * MIB)
    expect(await inFlightBytes()).toBe('0')
  })

  it('such as many bombs at once hold no more than the budget together', async () => {
    let mostBytes = 0
    const { measures } = fixture.intake
    const count = measures.bytesInFlight
    measures.bytesInFlight = (bytes) => {
      mostBytes = Math.max(mostBytes, bytes)
      count(bytes)
    }
    const bomb = gzipSync(Buffer.alloc(60 * MIB))
    const answers = await Promise.all(Array.from({ length: 8 }, () => sendFrame('gzip', 1, bomb)))
    const codes = answers.map(({ code }) => code)
    expect(codes).toContain(status.OK)
    expect(codes).toContain(status.UNAVAILABLE)
    expect(mostBytes).toBeLessThanOrEqual(96 * MIB)
    expect(await inFlightBytes()).toBe('0')
  })

  it('such as broken gzip are an invalid argument', async () => {
    expect(await sendFrame('gzip', 1, Buffer.from('not gzip'))).toMatchObject({ code: status.INVALID_ARGUMENT })
  })

  it('in an unknown encoding are not implemented', async () => {
    expect(await sendFrame('snappy', 1, Buffer.from('x'))).toMatchObject({ code: status.UNIMPLEMENTED })
  })

  it('but one that is plain in spite of its header is taken as it is', async () => {
    expect(await sendFrame('gzip', 0, Buffer.from('plain'))).toMatchObject({ code: status.OK })
    expect(Buffer.from(fixture.requests[0]?.body ?? []).toString()).toBe('plain')
  })
})

describe('the gRPC port', () => {
  it('lets a call under way finish when it closes', async () => {
    let finish = (_outcome: ExportOutcome): void => undefined
    fixture.onExport = () =>
      new Promise((resolve) => {
        finish = resolve
      })
    const answer = call(clientOf(), Buffer.from('x'))
    await eventually(() => fixture.requests.length).toBe(1)
    const closed = receiver.close(10_000)
    finish({ accepted: 1, rejected: 0, reason: '', truncatedAttributes: 0 })
    await answer
    await closed
  })

  it('ends a call that does not finish in time', async () => {
    fixture.onExport = () => new Promise(() => undefined)
    const answer = refusal(call(clientOf(), Buffer.from('x')))
    await eventually(() => fixture.requests.length).toBe(1)
    await receiver.close(50)
    expect([status.CANCELLED, status.UNAVAILABLE]).toContain((await answer).code)
  })

  it('keeps nothing of a call that was cancelled before its sender was known', async () => {
    let proceed = (): void => undefined
    const held = new Promise<void>((resolve) => {
      proceed = resolve
    })
    let asked = false
    fixture.beforeAuthentication = () => {
      asked = true
      return held
    }
    const client = clientOf()
    const answer = refusal(call(client, Buffer.alloc(MIB)))
    await eventually(() => asked).toBe(true)
    client.close()
    await receiver.close(0)
    expect((await answer).code).not.toBe(status.OK)
    // The server learns of it a little later than the client, which nothing here can see.
    await setTimeout(100)
    proceed()
    await setTimeout(20)
    expect(await inFlightBytes()).toBe('0')
    expect(fixture.requests).toHaveLength(0)
  })

  it('says so when it is taken', async () => {
    const again = openGrpcReceiver({ receiver: fixture.receiver, host: '127.0.0.1', port: receiver.port })
    await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  it('closes idle connections beyond its limit, and none that has a call in progress', async () => {
    await receiver.close(0)
    receiver = await openGrpcReceiver({ receiver: fixture.receiver, host: '127.0.0.1', port: 0, connectionsMax: 5 })
    let finish = (_outcome: ExportOutcome): void => undefined
    fixture.onExport = () =>
      new Promise((resolve) => {
        finish = resolve
      })
    const answer = call(clientOf(), Buffer.from('x'))
    await eventually(() => fixture.requests.length).toBe(1)
    const idle = Array.from({ length: 20 }, () =>
      connect(receiver.port, '127.0.0.1')
        .on('error', () => undefined)
        .resume(),
    )
    await eventually(() => idle.filter((socket) => socket.closed).length).toBe(16)
    finish({ accepted: 1, rejected: 0, reason: '', truncatedAttributes: 0 })
    await answer
    for (const socket of idle) socket.destroy()
  })
})
