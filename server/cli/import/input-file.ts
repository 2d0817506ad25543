import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline, Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Encoding, Signal } from '../../ingest/ingest.ts'
import { CommandFailed, messageOf, WrongUsage } from '../failure.ts'
import { ByteSource } from './byte-source.ts'
import { jsonParts } from './json-parts.ts'
import type { Part, UnreadablePart } from './part.ts'
import { protobufParts } from './protobuf-parts.ts'

const STANDARD_INPUT = '-'

/** The size of a file on disk; undefined for standard input. */
export async function sizeOf(path: string): Promise<number | undefined> {
  if (path === STANDARD_INPUT) return undefined
  const found = await stat(path).catch((error: unknown) => {
    throw new CommandFailed(`${path} cannot be read: ${messageOf(error)}`)
  })
  if (found.isDirectory()) throw new CommandFailed(`${path} is a folder; name the files in it`)
  return found.isFile() ? found.size : undefined
}

export interface InputOptions {
  /** Of protobuf files, which do not say it themselves. */
  signal: Signal | undefined
  stdin: NodeJS.ReadableStream
  /** Told of bytes as they are on disk. */
  onBytes: (count: number) => void
}

/** All that can be sent of a file, in its order. */
export async function* partsOfFile(path: string, options: InputOptions): AsyncGenerator<Part | UnreadablePart> {
  const source = new ByteSource(plainBytes(path, options))
  try {
    const encoding = encodingOf(path, await source.peek(4))
    if (encoding === 'json') yield* jsonParts(source, path)
    else yield* protobufParts(source, path, options.signal ?? signalOf(path))
  } catch (error) {
    if (error instanceof CommandFailed) throw error
    yield { where: path, problem: messageOf(error) }
  } finally {
    await source.close()
  }
}

function plainBytes(path: string, { stdin, onBytes }: InputOptions): AsyncIterable<Uint8Array> {
  const input = path === STANDARD_INPUT ? stdin : createReadStream(path, { highWaterMark: 256 * 1024 })
  const counting = new Transform({
    transform(chunk: Buffer, _, done) {
      onBytes(chunk.length)
      done(null, chunk)
    },
  })
  const ignore = (): void => undefined
  if (/\.gz$/i.test(path)) return pipeline(input, counting, createGunzip(), ignore)
  return pipeline(input, counting, ignore)
}

/** By the name, or else by how it begins. */
function encodingOf(path: string, start: Uint8Array): Encoding {
  const name = basename(path).replace(/\.gz$/i, '')
  if (/\.(json|jsonl|ndjson)$/i.test(name)) return 'json'
  if (/\.(pb|binpb|bin|proto|protobuf)$/i.test(name)) return 'protobuf'
  return /^\s*(\{\s*("|$)|$)/.test(new TextDecoder().decode(start).replace(/^\uFEFF/, '')) ? 'json' : 'protobuf'
}

/** `traces-2024.pb` says that it holds traces. */
function signalOf(path: string): Signal {
  const signal = /^(traces|logs|metrics)/i.exec(basename(path))?.[1]?.toLowerCase()
  if (signal === 'traces' || signal === 'logs' || signal === 'metrics') return signal
  throw new WrongUsage(
    `${path} is protobuf, which does not say what is in it: give --signal, or a name that begins with traces, logs or metrics`,
  )
}
