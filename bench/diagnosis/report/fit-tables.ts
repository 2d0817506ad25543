import { calibrated, type Knot } from '../../../server/diagnostics/diagnosis/answer/calibration.ts'
import { type Claim, expectedCalibrationError } from '../score/calibration.ts'
import { WINDOWS_MINUTES } from '../score/evaluate.ts'
import { knotsOf } from '../score/isotonic.ts'
import { faultOf } from '../score/judge.ts'
import { answerOf, type Result } from '../score/result.ts'
import { shareOf, shareText } from './shares.ts'
import type { Table } from './table-of.ts'

/** What the calibration would be, fitted to these results, whose confidences are raw scores; and how it does on kinds it has not seen. */
export function fitTables(results: Result[]): Table[] {
  const all = scoresOf(results)
  const kinds = [...new Set(results.map(({ label }) => label.kind))].toSorted()
  const left = kinds.map((kind) => leftOut(results, kind)).filter(({ claims }) => claims.length > 0)
  const unseen = left.flatMap(({ claims }) => claims)
  return [
    {
      title: 'The calibration, fitted',
      note: `From the scores of ${all.length} diagnoses. Expected calibration error on the very same: ${errorText(all.map(by(knotsOf(all))))}.`,
      head: ['score', 'confidence'],
      rows: knotsOf(all).map(([score, confidence]) => [String(score), String(confidence)]),
    },
    {
      title: 'Each kind of fault left out of the fit',
      note: `Expected calibration error where the confidence of each diagnosis comes from a fit without its kind: ${errorText(unseen)}, n ${unseen.length}.`,
      head: ['', 'diagnoses', 'mean confidence', 'names the service'],
      rows: left.map(({ kind, claims }) => [
        kind,
        String(claims.length),
        (claims.reduce((sum, { confidence }) => sum + confidence, 0) / claims.length).toFixed(2),
        shareText(shareOf(claims, ({ isRight }) => isRight)),
      ]),
    },
  ]
}

function leftOut(results: Result[], kind: string): { kind: string; claims: Claim[] } {
  const knots = knotsOf(scoresOf(results.filter(({ label }) => label.kind !== kind)))
  return { kind, claims: scoresOf(results.filter(({ label }) => label.kind === kind)).map(by(knots)) }
}

function by(knots: Knot[]): (score: Claim) => Claim {
  return ({ confidence, isRight }) => ({ confidence: calibrated(confidence, knots), isRight })
}

/** Of every window that was asked about. */
function scoresOf(results: Result[]): Claim[] {
  return WINDOWS_MINUTES.flatMap((window) =>
    results.flatMap((result) =>
      answerOf(result, window).diagnoses.map((given) => ({
        confidence: given.confidence,
        isRight: faultOf(result.label, given) !== undefined,
      })),
    ),
  )
}

function errorText(claims: Claim[]): string {
  return claims.length === 0 ? 'none' : expectedCalibrationError(claims).toFixed(3)
}
