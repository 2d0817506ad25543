import { Transform } from 'node:stream'
import zlib from 'node:zlib'
import { Refusal } from './refusal.ts'

const CHUNK_BYTES = 64 * 1024

/** Runtimes from Node 22.15 on have zstd; the types of older ones do not know it. */
function zstd(): (() => Transform) | undefined {
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress')
  if (typeof create !== 'function') return undefined
  return () => {
    const decoder: unknown = Reflect.apply(create, zlib, [{ chunkSize: CHUNK_BYTES }])
    if (decoder instanceof Transform) return decoder
    throw new Error('This runtime has no usable zstd.')
  }
}

const createZstd = zstd()

const DECODERS = new Map<string, () => Transform>([
  ['gzip', () => zlib.createGunzip({ chunkSize: CHUNK_BYTES })],
  ['deflate', () => zlib.createInflate({ chunkSize: CHUNK_BYTES })],
  ...(createZstd === undefined ? [] : [['zstd', createZstd] as const]),
])

export const ACCEPTED_ENCODINGS = [...DECODERS.keys(), 'identity'].join(', ')

/** Undefined where the bytes are sent as they are. Throws a refusal for an encoding that is not known here. */
export function createContentDecoder(encoding: string | undefined): Transform | undefined {
  const name = encoding?.trim().toLowerCase() ?? 'identity'
  if (name === 'identity' || name === '') return undefined
  const create = DECODERS.get(name)
  if (create !== undefined) return create()
  throw new Refusal(
    'unsupported_encoding',
    `This encoding of the body is not supported; use one of ${ACCEPTED_ENCODINGS}.`,
  )
}
