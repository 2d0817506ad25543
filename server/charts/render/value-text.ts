/** A value on an axis of this unit, as short as it can be understood. */
export function valueText(value: number, unit: string): string {
  if (unit === 'By') return scaledText(value, [' B', ' kB', ' MB', ' GB', ' TB', ' PB'])
  if (unit === 'ms') return Math.abs(value) < 1000 ? plainText(value) : `${plainText(value / 1000)} s`
  return scaledText(value, ['', 'k', 'M', 'G', 'T', 'P'])
}

function scaledText(value: number, suffixes: string[]): string {
  let [scaled, power] = [value, 0]
  while (Math.abs(scaled) >= 1000 && power < suffixes.length - 1) {
    scaled /= 1000
    power++
  }
  return `${plainText(scaled)}${suffixes[power]}`
}

/** Without the digits that only arithmetic has put there. */
function plainText(value: number): string {
  return String(Number(value.toPrecision(6)))
}
