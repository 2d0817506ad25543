const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** Three digits and a unit: `12.3 MB`. */
export function bytesText(bytes: number): string {
  const power = Math.min(Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)), UNITS.length - 1)
  const value = bytes / 1000 ** power
  return `${power === 0 ? value : value.toPrecision(Math.max(3, String(Math.floor(value)).length))} ${UNITS[power]}`
}
