import { once } from 'node:events'
import net from 'node:net'
import { Readable } from 'node:stream'
import { type handleUnaryCall, Server, ServerCredentials } from '@grpc/grpc-js'
import type { Signal } from '../ingest/ingest.ts'
import { encodeExportResponse } from '../ingest/otlp/responses.ts'
import { readBody } from './body.ts'
import { DEFAULT_CONNECTION_LIMITS } from './connection-guard.ts'
import { createConnectionSlots } from './connection-slots.ts'
import { createContentDecoder } from './content-decoder.ts'
import { type AdmittedCall, createGrpcAdmission, type GrpcAdmission } from './grpc-admission.ts'
import { GRPC_METHODS } from './grpc-methods.ts'
import { grpcStatusOf } from './grpc-status.ts'
import { REQUEST_BYTES_MAX } from './intake.ts'
import type { Receiver } from './receiver.ts'
import type { Tls } from './tls.ts'

interface GrpcReceiverOptions {
  receiver: Receiver
  host: string
  /** 0 for any that is free. */
  port: number
  tls?: Tls | undefined
  connectionsMax?: number
}

export interface GrpcReceiver {
  readonly port: number
  /** Lets the calls under way finish for that long, then ends them. */
  close(graceMs: number): Promise<void>
}

const SERVER_OPTIONS = {
  'grpc.max_receive_message_length': REQUEST_BYTES_MAX,
  'grpc.max_concurrent_streams': 100,
  'grpc.max_connection_idle_ms': 300_000,
  'grpc.keepalive_time_ms': 60_000,
  'grpc.keepalive_timeout_ms': 20_000,
  'grpc.enable_channelz': 0,
}

/** Rejects with the error of `listen` where the port cannot be had. */
export async function openGrpcReceiver(options: GrpcReceiverOptions): Promise<GrpcReceiver> {
  const { receiver, host, port, connectionsMax = DEFAULT_CONNECTION_LIMITS.connectionsMax } = options
  const slots = createConnectionSlots(connectionsMax)
  const admission = createGrpcAdmission(receiver, slots)
  const server = new Server({ ...SERVER_OPTIONS, interceptors: [admission.interceptor] })
  for (const [path, signal] of GRPC_METHODS) addMethod(server, path, exportHandler(receiver, admission, signal))

  const injector = server.createConnectionInjector(credentialsOf(options.tls))
  const listener = net.createServer({ noDelay: true }, (socket) => {
    slots.add(socket)
    if (!socket.destroyed) injector.injectConnection(socket)
  })
  listener.listen({ host, port })
  await once(listener, 'listening')
  const address = listener.address()

  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    async close(graceMs) {
      listener.close()
      await shutDown(server, graceMs)
      slots.closeWithin(0)
    },
  }
}

function credentialsOf(tls: Tls | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure()
  return ServerCredentials.createSsl(null, [{ cert_chain: Buffer.from(tls.cert), private_key: Buffer.from(tls.key) }])
}

function shutDown(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.forceShutdown()
      resolve()
    }, graceMs)
    server.tryShutdown(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** Messages stay bytes: what is in them is read where it is stored. */
function addMethod(server: Server, path: string, handler: handleUnaryCall<Buffer, Buffer>): void {
  const definition = {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  } as const
  server.addService({ Export: definition }, { Export: handler })
}

function asIs(message: Buffer): Buffer {
  return message
}

function exportHandler(receiver: Receiver, admission: GrpcAdmission, signal: Signal): handleUnaryCall<Buffer, Buffer> {
  return (call, answer) => {
    const admitted = admission.of(call.metadata)
    if (admitted?.takeOver() !== true) return
    exportOver(receiver, admitted, signal, call.request).then(
      (response) => answer(null, response),
      (error) => answer(grpcStatusOf(receiver.refuse(error, admitted.requestId))),
    )
  }
}

async function exportOver(receiver: Receiver, call: AdmittedCall, signal: Signal, message: Buffer): Promise<Buffer> {
  try {
    const body = await bodyOf(receiver, call, message)
    const outcome = await receiver.deliver(call.grid, signal, 'protobuf', body)
    const response = encodeExportResponse(signal, 'protobuf', outcome)
    return Buffer.from(response.buffer, response.byteOffset, response.byteLength)
  } finally {
    call.reservation.release()
  }
}

/** In memory of its own, which the library's buffer may share with others. */
async function bodyOf(
  { memoryFor }: Receiver,
  { bytes, reservation }: AdmittedCall,
  message: Buffer,
): Promise<Uint8Array> {
  const decoder = bytes.compressed ? createContentDecoder(bytes.encoding) : undefined
  if (decoder) return readBody(Readable.from([message]), { reservation, memoryFor, decoder })
  const body = memoryFor(message.length)
  body.set(message)
  return body
}
