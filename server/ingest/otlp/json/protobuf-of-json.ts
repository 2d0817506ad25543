import { MalformedRequest, type Signal } from '../../ingest.ts'
import { JSON_VALUES_MAX } from '../limits.ts'
import { stringOf } from '../utf8.ts'
import { LOGS, METRICS, type Message, TRACES } from './messages.ts'
import { transcode } from './transcoder.ts'

const REQUESTS: Record<Signal, Message> = { traces: TRACES, logs: LOGS, metrics: METRICS }

/** The same request in protobuf, of one in OTLP's JSON. */
export function protobufOfJson(signal: Signal, body: Uint8Array): Uint8Array {
  if (hasTooManyValues(body)) {
    throw new MalformedRequest(`the body has more than ${JSON_VALUES_MAX} values: send less at once`)
  }
  return transcode(REQUESTS[signal], parsed(body))
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(stringOf(body, 0, body.length))
  } catch (error) {
    throw new MalformedRequest(`the body is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}

/** Parsed, a value of two bytes takes fifty: what opens or separates values outside of strings is counted before. */
function hasTooManyValues(body: Uint8Array): boolean {
  if (body.length <= JSON_VALUES_MAX) return false
  let values = 0
  let inString = false
  for (let i = 0; i < body.length; i++) {
    const byte = body[i]
    if (byte === 0x22) inString = !inString
    else if (inString) {
      if (byte === 0x5c) i++
    } else if (byte === 0x2c || byte === 0x5b || byte === 0x7b) values++
  }
  return values > JSON_VALUES_MAX
}
