/** A value as it is stored and answered: what OTLP calls an AnyValue, in JSON. Bytes are base64; integers beyond 2^53 are strings. */
export type AttributeValue = string | number | boolean | null | AttributeValue[] | { [key: string]: AttributeValue }

export type Attributes = Record<string, AttributeValue>
