const DIGIT = 64

/**
 * Packed counts of the steps of an hour as one value: of each step that has any, its number, how many bytes follow, and those. A
 * value for each step would take longer to read than what is in it.
 */
export function packedSteps(steps: { step: number; counts: Uint8Array }[]): Uint8Array {
  const bytes: number[] = []
  for (const { step, counts } of steps) {
    bytes.push(step)
    let rest = counts.length
    for (; rest >= DIGIT; rest = Math.floor(rest / DIGIT)) bytes.push((rest % DIGIT) + DIGIT)
    bytes.push(rest)
    for (const byte of counts) bytes.push(byte)
  }
  return Uint8Array.from(bytes)
}

export function eachPackedStep(packed: Uint8Array, each: (step: number, counts: Uint8Array) => void): void {
  for (let at = 0; at < packed.length; ) {
    const step = packed[at++] as number
    let byte = packed[at++] as number
    let length = byte & (DIGIT - 1)
    for (let place = DIGIT; byte >= DIGIT; place *= DIGIT) {
      byte = packed[at++] as number
      length += (byte & (DIGIT - 1)) * place
    }
    each(step, packed.subarray(at, at + length))
    at += length
  }
}
