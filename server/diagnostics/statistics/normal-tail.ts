/** Below this the series for the middle is used, above it the continued fraction for the tail; both are exact to 13 digits there. */
const TAIL_FROM = 2
const FRACTION_DEPTH = 80

/** The probability that a normally distributed value is at least `z` standard deviations from its mean, to either side. */
export function normalTwoSidedP(z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  return x < TAIL_FROM ? 1 - middle(x) : tail(x)
}

/** The error function by its series. */
function middle(x: number): number {
  let term = x
  let sum = x
  for (let n = 1; term > sum * 1e-17; n++) {
    term *= (2 * x * x) / (2 * n + 1)
    sum += term
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum
}

/** Its complement by a continued fraction, which keeps its digits however small it is. */
function tail(x: number): number {
  let fraction = x
  for (let n = FRACTION_DEPTH; n >= 1; n--) fraction = x + n / 2 / fraction
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / fraction
}
