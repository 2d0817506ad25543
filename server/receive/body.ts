import type { Readable, Transform } from 'node:stream'
import { REQUEST_BYTES_MAX, type Reservation } from './intake.ts'
import { Refusal } from './refusal.ts'

/** Memory of so many bytes, with anything in them, that is handed on with the body. */
export type MemoryFor = (bytes: number) => Uint8Array

interface BodyOptions {
  reservation: Reservation
  memoryFor: MemoryFor
  decoder?: Transform | undefined
  /** As the sender declared it. */
  contentLength?: number | undefined
}

/** A declared length costs the sender nothing, so memory is set aside in one piece only up to this. */
const PRESIZED_BYTES_MAX = 4 * 1024 * 1024

/**
 * The whole body, decoded, in memory of its own. Every decoded byte is reserved before it is kept. Rejects with a
 * refusal as soon as the body is too large, does not fit, or cannot be decoded; the source is then left open and
 * paused, so that the sender can still be answered.
 */
export async function readBody(source: Readable, options: BodyOptions): Promise<Uint8Array> {
  requireSize(options.contentLength ?? 0)
  const parts = collector(options.memoryFor, options.decoder === undefined ? options.contentLength : undefined)
  await pour(source, options.decoder, (chunk) => {
    requireSize(parts.length() + chunk.length)
    options.reservation.add(chunk.length)
    parts.add(chunk)
  })
  return parts.whole()
}

function requireSize(bytes: number): void {
  if (bytes <= REQUEST_BYTES_MAX) return
  throw new Refusal('too_large', `A request may have at most ${REQUEST_BYTES_MAX} bytes after decompression.`)
}

interface Collector {
  add(chunk: Buffer): void
  length(): number
  whole(): Uint8Array
}

function collector(memoryFor: MemoryFor, declaredBytes: number | undefined): Collector {
  const isPresized = declaredBytes !== undefined && declaredBytes <= PRESIZED_BYTES_MAX
  return isPresized ? presized(memoryFor, declaredBytes) : growing(memoryFor)
}

/** The parser of HTTP sees to it that no more than the declared bytes arrive; with fewer the body never ends. */
function presized(memoryFor: MemoryFor, bytes: number): Collector {
  let body: Uint8Array | undefined
  let length = 0
  return {
    add(chunk) {
      body ??= memoryFor(bytes)
      length += chunk.copy(body, length)
    },
    length: () => length,
    whole: () => body?.subarray(0, length) ?? new Uint8Array(0),
  }
}

function growing(memoryFor: MemoryFor): Collector {
  const chunks: Buffer[] = []
  let length = 0
  return {
    add(chunk) {
      chunks.push(chunk)
      length += chunk.length
    },
    length: () => length,
    whole() {
      const body = memoryFor(length)
      let offset = 0
      for (const chunk of chunks) offset += chunk.copy(body, offset)
      return body
    },
  }
}

/** Resolves at the end of the source. Whatever `take` throws ends it too. */
function pour(source: Readable, decoder: Transform | undefined, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const output = decoder ?? source
    let arrivedBytes = 0

    const detach = (): void => {
      source.off('data', onArrival).off('close', onClose).off('error', onClose)
      output.off('data', onData).off('end', onEnd)
      if (decoder === undefined) return
      source.unpipe(decoder)
      // A destroyed decoder may still report an error that nobody waits for any more.
      decoder.off('error', onDecodeError).on('error', () => undefined)
      decoder.destroy()
    }
    const fail = (error: unknown): void => {
      detach()
      source.pause()
      reject(error)
    }
    const attempt = (step: () => void): void => {
      try {
        step()
      } catch (error) {
        fail(error)
      }
    }
    const onEnd = (): void => {
      detach()
      resolve()
    }
    const onArrival = (chunk: Buffer): void => {
      arrivedBytes += chunk.length
      attempt(() => requireSize(arrivedBytes))
    }
    const onData = (chunk: Buffer): void => attempt(() => take(chunk))
    const onClose = (): void => {
      if (!source.readableEnded) fail(new Refusal('cancelled', 'The request ended before its body did.'))
    }
    const onDecodeError = (): void => {
      if (arrivedBytes === 0) onEnd()
      else fail(new Refusal('malformed', 'The body cannot be decompressed as its encoding says.'))
    }

    source.on('data', onArrival).on('close', onClose).on('error', onClose)
    decoder?.on('error', onDecodeError)
    output.on('data', onData).on('end', onEnd)
    if (decoder !== undefined) source.pipe(decoder)
    if (source.destroyed) onClose()
  })
}
