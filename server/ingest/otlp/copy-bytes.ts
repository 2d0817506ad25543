/** Copies what lies from `start` to `end`, by fours: a call out of JavaScript costs more than most texts are long. */
export function copyBytes(source: DataView, start: number, end: number, target: DataView, at: number): void {
  const shift = at - start
  const last = end - 4
  if (last < start) {
    for (let i = start; i < end; i++) target.setUint8(i + shift, source.getUint8(i))
    return
  }
  for (let i = start; i < last; i += 4) target.setInt32(i + shift, source.getInt32(i, true), true)
  // The last four may overlap with those before.
  target.setInt32(last + shift, source.getInt32(last, true), true)
}
