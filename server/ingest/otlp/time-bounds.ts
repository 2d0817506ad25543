import type { DecodeLimits } from './limits.ts'

const INT64_MAX = 0x7fff_ffff_ffff_ffffn

/** The limits of time as halves of 64 bits, so that judging a time makes no bigint. */
export class TimeBounds {
  private readonly oldestHi: number
  private readonly oldestLo: number
  private readonly newestHi: number
  private readonly newestLo: number

  constructor(limits: DecodeLimits) {
    const oldest = clamped(limits.oldestNs)
    const newest = clamped(limits.newestNs)
    this.oldestHi = Number(oldest >> 32n)
    this.oldestLo = Number(oldest & 0xffff_ffffn)
    this.newestHi = Number(newest >> 32n)
    this.newestLo = Number(newest & 0xffff_ffffn)
  }

  /** Always true of a time that 63 bits cannot hold. */
  isTooNew(hi: number, lo: number): boolean {
    return hi > this.newestHi || (hi === this.newestHi && lo > this.newestLo)
  }

  isTooOld(hi: number, lo: number): boolean {
    return hi < this.oldestHi || (hi === this.oldestHi && lo < this.oldestLo)
  }
}

function clamped(ns: bigint): bigint {
  if (ns < 0n) return 0n
  return ns > INT64_MAX ? INT64_MAX : ns
}
