/** How sure an answer was, and whether it was right. */
export interface Claim {
  confidence: number
  isRight: boolean
}

export interface ReliabilityBin {
  /** From here, and below here; the last bin includes 1. */
  from: number
  to: number
  n: number
  right: number
  meanConfidence: number
}

const BINS = 10

/** Claims of like confidence together; bins without any are left out. */
export function reliability(claims: Claim[]): ReliabilityBin[] {
  const bins = Array.from({ length: BINS }, (_, i) => {
    const own = claims.filter(({ confidence }) => binOf(confidence) === i)
    const sum = own.reduce((total, { confidence }) => total + confidence, 0)
    const right = own.filter(({ isRight }) => isRight).length
    return { from: i / BINS, to: (i + 1) / BINS, n: own.length, right, meanConfidence: sum / own.length }
  })
  return bins.filter(({ n }) => n > 0)
}

/** By how much confidence is off, in the mean over all claims; 0 is perfect, and NaN says that nothing was claimed. */
export function expectedCalibrationError(claims: Claim[]): number {
  const off = reliability(claims).map(({ n, right, meanConfidence }) => n * Math.abs(right / n - meanConfidence))
  return off.reduce((sum, each) => sum + each, 0) / claims.length
}

function binOf(confidence: number): number {
  // Binary fractions: 0.7 * 10 is a little more than 7, and 0.29 * 100 a little less than 29.
  return Math.min(BINS - 1, Math.floor(confidence * BINS + 1e-9))
}
