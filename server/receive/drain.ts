import type { IncomingMessage } from 'node:http'

const DRAINED_BYTES_MAX = 128 * 1024 * 1024
const DRAIN_TIMEOUT_MS = 10_000

/**
 * Lets the rest of a refused body pass unread, within limits: a client that is still sending sees the answer only if
 * the connection is not reset under it, and can then go on using the connection.
 */
export function drain(request: IncomingMessage): void {
  if (request.readableEnded || request.destroyed) return
  const { socket } = request
  let drainedBytes = 0
  const timer = setTimeout(() => socket.destroy(), DRAIN_TIMEOUT_MS)
  timer.unref()
  const stop = (): void => {
    clearTimeout(timer)
    socket.off('close', stop)
  }
  request.on('data', (chunk: Buffer) => {
    drainedBytes += chunk.length
    if (drainedBytes > DRAINED_BYTES_MAX) socket.destroy()
  })
  request.once('end', stop).on('error', stop)
  socket.once('close', stop)
  request.resume()
}
