/** Below this, the series is not exact to the last digits. */
const SERIES_FROM = 16
const SMALL = smallFactorials()

/** The natural logarithm of n!, for a whole number of at least 0. */
function lnFactorial(n: number): number {
  const small = SMALL[n]
  if (small !== undefined) return small
  const inverse = 1 / n
  const series = (inverse * (1 - (inverse * inverse) / 30 + inverse ** 4 / 105)) / 12
  return n * Math.log(n) - n + Math.log(2 * Math.PI * n) / 2 + series
}

/** The natural logarithm of the number of ways to choose k of n. */
export function lnChoose(n: number, k: number): number {
  return lnFactorial(n) - lnFactorial(k) - lnFactorial(n - k)
}

function smallFactorials(): number[] {
  const products = [1]
  for (let n = 1; n < SERIES_FROM; n++) products.push((products[n - 1] as number) * n)
  return products.map(Math.log)
}
