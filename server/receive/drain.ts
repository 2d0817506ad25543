import type { IncomingMessage } from 'node:http'

const DRAINED_BYTES_MAX = 128 * 1024 * 1024
const DRAIN_TIMEOUT_MS = 10_000

/**
 * Lets the rest of a refused body pass unread, within limits: a client that is still sending sees the answer only if
 * the connection is not reset under it, and can then go on using the connection.
 */
export function drain(request: IncomingMessage): void {
  if (request.readableEnded || request.destroyed) return
  let drainedBytes = 0
  const giveUp = () => request.socket.destroy()
  const timer = setTimeout(giveUp, DRAIN_TIMEOUT_MS)
  const stop = () => clearTimeout(timer)
  request.on('data', (chunk: Buffer) => {
    drainedBytes += chunk.length
    if (drainedBytes > DRAINED_BYTES_MAX) giveUp()
  })
  request.once('end', stop).once('close', stop).on('error', stop)
  request.resume()
}
