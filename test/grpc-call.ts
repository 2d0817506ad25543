import { Client, compressionAlgorithms, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { OWNER_KEY, type ServerProcess } from './server-process.ts'

const EXPORT_TRACES = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'

interface Call {
  path?: string
  key?: string
  gzip?: boolean
}

/** One unary call with bytes of the caller's choice; resolves to its status and what it says. */
export async function callGrpc(
  { otlpGrpcUrl }: ServerProcess,
  body: Uint8Array,
  { path = EXPORT_TRACES, key = OWNER_KEY, gzip = false }: Call = {},
): Promise<{ code: number; details: string }> {
  const client = new Client(new URL(otlpGrpcUrl).host, credentials.createInsecure(), {
    'grpc.max_send_message_length': -1,
    ...(gzip ? { 'grpc.default_compression_algorithm': compressionAlgorithms.gzip } : {}),
  })
  const metadata = new Metadata()
  if (key !== '') metadata.set('api-key', key)
  const asIs = (message: Buffer) => message
  try {
    return await new Promise((resolve) => {
      const done = (error: ServiceError | null) => resolve(error ?? { code: 0, details: '' })
      client.makeUnaryRequest(path, asIs, asIs, Buffer.from(body), metadata, done)
    })
  } finally {
    client.close()
  }
}
