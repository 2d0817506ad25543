/** Which times are believed, and what the time is for a record that says none. */
export interface DecodeLimits {
  oldestNs: bigint
  newestNs: bigint
  nowNs: bigint
}

/** Of a record, and of every map inside an attribute. */
export const ATTRIBUTES_MAX = 256

/** UTF-8 bytes of one text, or of one attribute's value. */
export const VALUE_BYTES_MAX = 64 * 1024

/** How deep values may lie in values; an attribute's own value is at 1. */
export const VALUE_DEPTH_MAX = 16

export const EVENTS_MAX = 1024
export const LINKS_MAX = 1024

/** Of one request: an empty record takes two bytes on the wire and a hundred as a row. */
export const RECORDS_MAX = 1_000_000

/** Buckets or quantiles of one data point, and of all data points of a request together. */
export const POINT_NUMBERS_MAX = 10_000
export const REQUEST_NUMBERS_MAX = 8_000_000

/** Of one text column of a request: escaping may make text six times as long, and a hostile sender would use that. */
export const COLUMN_BYTES_MAX = 256 * 1024 * 1024

/** A span may end this long before it starts, by the clocks of two processors; it is then stored with no duration. */
export const BACKWARDS_NS_MAX = 60_000_000_000

/** Values in one JSON body. */
export const JSON_VALUES_MAX = 10_000_000
