import type { Encoding } from '../ingest/ingest.ts'

const MEDIA_TYPES: Record<Encoding, string> = { protobuf: 'application/x-protobuf', json: 'application/json' }

export function mediaTypeOf(encoding: Encoding): string {
  return MEDIA_TYPES[encoding]
}

/** Parameters such as a charset are passed over. Undefined for a type that OTLP does not have. */
export function encodingOf(contentType: string | undefined): Encoding | undefined {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  if (mediaType === MEDIA_TYPES.protobuf) return 'protobuf'
  return mediaType === MEDIA_TYPES.json ? 'json' : undefined
}
