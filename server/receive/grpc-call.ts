import { Duplex } from 'node:stream'
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js'

const UNREAD_STATUS_MS = 1_000

/** The bytes of one gRPC call as they arrive, before the library has put a message together. */
export interface GrpcCallBytes {
  /** As the header `grpc-encoding` names it. */
  readonly encoding: string
  /** Whether the message is compressed, which its first byte says. */
  readonly compressed: boolean
  onArrival(take: (bytes: number) => void): void
  /** At once where the call has ended already. */
  onClose(then: () => void): void
  /**
   * To be called once the status is sent: ends the call without waiting for the rest of the message, which frees what
   * the library has gathered of it. At most a second passes, also where the client does not read.
   */
  end(): void
}

/**
 * The library gathers a message, and decompresses it, before anybody is asked: a few calls at once could fill the
 * memory. So its stream is watched, and it is told that messages are plain, which leaves decompression to us. Both
 * members are private to the library: where a newer release has moved them, calls fail and so do the tests.
 */
export function watchBytes(call: ServerInterceptingCallInterface): GrpcCallBytes {
  if (!('stream' in call && call.stream instanceof Duplex && 'incomingEncoding' in call)) {
    throw new Error('This release of grpc-js hides the bytes of a call.')
  }
  const { stream, incomingEncoding } = call
  call.incomingEncoding = 'identity'
  let firstByte: number | undefined
  // The stream was paused by the library: listening does not set it going.
  stream.on('data', (chunk: Buffer) => {
    firstByte ??= chunk[0]
  })
  return {
    encoding: String(incomingEncoding),
    get compressed() {
      return firstByte === 1
    },
    onArrival: (take) => stream.on('data', (chunk: Buffer) => take(chunk.length)),
    onClose(then) {
      if (stream.destroyed) then()
      else stream.once('close', then)
    },
    end: () => endSoon(stream),
  }
}

/** Not at once, or the status would be lost. */
function endSoon(stream: Duplex): void {
  const end = (): void => {
    clearTimeout(timer)
    stream.destroy()
  }
  const timer = setTimeout(end, UNREAD_STATUS_MS)
  timer.unref()
  if (stream.writableFinished) setImmediate(end)
  else stream.once('finish', () => setImmediate(end))
}
