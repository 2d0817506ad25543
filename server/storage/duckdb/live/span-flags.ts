import type { Segment } from './span-ring.ts'

/** Bits of a span's `flags`. Without this one its row holds no span. */
export const TAKEN = 1
/** It merely receives messages, which another span processes: it is no request. */
export const RECEIVES = 2
export const HAS_PARENT = 4
/** What it is has been counted, so that a change of it has to be. */
export const COUNTED = 8
/** Its parent has not come. */
export const WAITS = 16
/** It turned out to be a copy of another span: it counts for nothing, and is not sealed. */
export const COPY = 32
/** It was read from an hour file, and never waited for a commit. */
export const LOADED = 64

export function hasFlag(segment: Segment, row: number, flag: number): boolean {
  return ((segment.flags[row] as number) & flag) !== 0
}

export function addFlag(segment: Segment, row: number, flag: number): void {
  segment.flags[row] = (segment.flags[row] as number) | flag
}

export function removeFlag(segment: Segment, row: number, flag: number): void {
  segment.flags[row] = (segment.flags[row] as number) & ~flag
}
