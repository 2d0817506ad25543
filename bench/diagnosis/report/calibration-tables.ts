import { type Claim, expectedCalibrationError, reliability } from '../score/calibration.ts'
import { faultOf, isOfRightKind } from '../score/judge.ts'
import { answerOf, type Result } from '../score/result.ts'
import { groupsOf } from './groups.ts'
import { shareOf, shareText } from './shares.ts'
import type { Table } from './table-of.ts'

type IsRight = typeof isOfRightKind

const namesService: IsRight = (label, given) => faultOf(label, given) !== undefined

/** Of every diagnosis that was given, also of those that came second, and of those given where nothing was wrong. */
export function calibrationTable(results: Result[], window: number): Table {
  const service = claimsOf(results, window, namesService)
  const withKind = reliability(claimsOf(results, window, isOfRightKind))
  return {
    title: `Calibration of the confidence, window ${window} minutes`,
    note: calibrationNote(results, window),
    head: ['confidence', 'n', 'mean confidence', 'names the service', 'and the kind'],
    rows: reliability(service).map(({ from, to, n, right, meanConfidence }) => [
      `${from.toFixed(1)}–${to.toFixed(1)}`,
      String(n),
      meanConfidence.toFixed(2),
      shareText({ count: right, n }),
      shareText({ count: withKind.find((bin) => bin.from === from)?.right ?? 0, n }),
    ]),
  }
}

function calibrationNote(results: Result[], window: number): string {
  const all = claimsOf(results, window, namesService)
  const firsts = claimsOf(results, window, namesService, 1)
  const withKind = claimsOf(results, window, isOfRightKind)
  return [
    `Every diagnosis given, n ${all.length}.`,
    `Expected calibration error ${errorText(all)}, where right is to name the service at fault;`,
    `${errorText(firsts)} of the first diagnoses alone (n ${firsts.length});`,
    `${errorText(withKind)}, where right is also to name the kind of cause.`,
  ].join(' ')
}

/** Where confidence misleads: how sure diagnoses of each kind of fault are, against how often they are right. */
export function calibrationByKindTable(results: Result[], window: number): Table {
  return {
    title: `Confidence against truth by kind, window ${window} minutes`,
    head: ['', 'diagnoses', 'mean confidence', 'names the service', 'and the kind'],
    rows: groupsOf(results).map((group) => {
      const service = claimsOf(group.results, window, namesService)
      const withKind = claimsOf(group.results, window, isOfRightKind)
      return [group.name, String(service.length), meanText(service), ...[service, withKind].map(rightText)]
    }),
  }
}

function rightText(claims: Claim[]): string {
  return shareText(shareOf(claims, ({ isRight }) => isRight))
}

function meanText(claims: Claim[]): string {
  const sum = claims.reduce((total, { confidence }) => total + confidence, 0)
  return claims.length === 0 ? '–' : (sum / claims.length).toFixed(2)
}

function errorText(claims: Claim[]): string {
  return claims.length === 0 ? 'none' : expectedCalibrationError(claims).toFixed(3)
}

function claimsOf(results: Result[], window: number, isRight: IsRight, most = Number.POSITIVE_INFINITY): Claim[] {
  return results.flatMap((result) =>
    answerOf(result, window)
      .diagnoses.slice(0, most)
      .map((given) => ({ confidence: given.confidence, isRight: isRight(result.label, given) })),
  )
}
