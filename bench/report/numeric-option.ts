/** A number given on the command line, or its default. */
export function numericOption(name: string, given: string | undefined, standard: number): number {
  const value = given === undefined ? standard : Number(given)
  if (Number.isFinite(value) && value > 0) return value
  throw new Error(`--${name} is "${given}": it must be a number above 0`)
}
