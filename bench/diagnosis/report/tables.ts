import { isQuiet } from '../incidents/incident.ts'
import { type Claim, expectedCalibrationError, reliability } from '../score/calibration.ts'
import { WINDOWS_MINUTES } from '../score/evaluate.ts'
import { faultOf, isOfRightKind } from '../score/judge.ts'
import { answerOf, type JudgedAnswer, type Result } from '../score/result.ts'
import { groupsOf } from './groups.ts'
import { type Share, shareOf, shareText } from './shares.ts'
import type { Table } from './table-of.ts'

/** An onset that is put further off sends people to the wrong change. */
const ONSET_OFF_MS_MAX = 120_000

/** Everything that was measured. */
export function tablesOf(results: Result[]): Table[] {
  const ill = results.filter(({ label }) => !isQuiet(label))
  const quiet = results.filter(({ label }) => isQuiet(label))
  return [
    ...(ill.length > 0 ? WINDOWS_MINUTES.map((window) => rightTable(ill, window)) : []),
    ...(quiet.length > 0 ? [accusationTable(quiet)] : []),
    ...(ill.some(({ firstRightMs }) => firstRightMs !== undefined) ? [timeTable(ill)] : []),
    ...WINDOWS_MINUTES.map((window) => calibrationTable(results, window)),
    answerTimeTable(results),
  ]
}

function rightTable(ill: Result[], window: number): Table {
  const optional = optionalColumns(ill, window)
  return {
    title: `Right answers, window ${window} minutes`,
    note: '`at` is the end of the fault. In brackets: the 95 % interval (Wilson).',
    head: ['', 'n', 'top-1', 'top-3', 'top-1 and kind', ...optional.map(({ head }) => head)],
    rows: groupsOf(ill).map(({ name, results }) => {
      const answers = results.map((result) => answerOf(result, window))
      const shares = [
        shareOf(answers, ({ top1 }) => top1),
        shareOf(answers, ({ top3 }) => top3),
        shareOf(answers, ({ kind }) => kind),
      ]
      return [name, String(results.length), ...shares.map(shareText), ...optional.map(({ of }) => withN(of(results)))]
    }),
  }
}

interface Column {
  head: string
  of(results: Result[]): Share
}

/** Only where some label says something about it. */
function optionalColumns(ill: Result[], window: number): Column[] {
  const answers = (results: Result[]) => results.map((result) => answerOf(result, window))
  const columns: Column[] = [
    {
      head: 'culprit named',
      of: (results) => shareOf(answers(results).filter(hasCulprit), ({ culprit }) => culprit === true),
    },
    {
      head: 'onset within 2 min',
      of: (results) => shareOf(answers(results.filter(({ label }) => !label.isGradual)), isOnsetRight),
    },
    {
      head: 'both faults in top-3',
      of: (results) => shareOf(answers(results).filter(hasSeveral), ({ allFaults }) => allFaults === true),
    },
  ]
  return columns.filter(({ of }) => of(ill).n > 0)
}

const hasCulprit = ({ culprit }: JudgedAnswer) => culprit !== undefined
const hasSeveral = ({ allFaults }: JudgedAnswer) => allFaults !== undefined
const isOnsetRight = ({ onsetOffMs }: JudgedAnswer) =>
  onsetOffMs !== undefined && Math.abs(onsetOffMs) <= ONSET_OFF_MS_MAX

function withN(share: Share): string {
  return share.n === 0 ? '–' : `${shareText(share)}, n ${share.n}`
}

function accusationTable(quiet: Result[]): Table {
  return {
    title: 'False accusations where nothing is wrong',
    note: 'Answers with any diagnosis of a confidence of 0.5 or more; and with any diagnosis at all.',
    head: [
      '',
      'n',
      ...WINDOWS_MINUTES.flatMap((window) => [`accused, window ${window}`, `not silent, window ${window}`]),
    ],
    rows: groupsOf(quiet).map(({ name, results }) => [
      name,
      String(results.length),
      ...WINDOWS_MINUTES.flatMap((window) => {
        const answers = results.map((result) => answerOf(result, window))
        const accused = shareOf(answers, ({ isAccusation }) => isAccusation)
        const spoke = shareOf(answers, ({ diagnoses }) => diagnoses.length > 0)
        return [`${accused.count}: ${shareText(accused)}`, `${spoke.count}: ${shareText(spoke)}`]
      }),
    ]),
  }
}

function timeTable(ill: Result[]): Table {
  return {
    title: 'From the onset to the first right answer',
    note: 'Asked every 15 seconds of event time, window 3 minutes; right is a first diagnosis that names the service at fault.',
    head: ['', 'n', 'answered right', 'median s', 'p90 s'],
    rows: groupsOf(ill).map(({ name, results }) => {
      const tookS = results.flatMap(({ firstRightMs }) => (firstRightMs === undefined ? [] : [firstRightMs / 1000]))
      const right = shareOf(results, ({ firstRightMs }) => firstRightMs !== undefined)
      return [name, String(results.length), shareText(right), rank(tookS, 0.5), rank(tookS, 0.9)]
    }),
  }
}

/** Of every diagnosis that was given, also of those that came second, and of those given where nothing was wrong. */
function calibrationTable(results: Result[], window: number): Table {
  const claims = (isRight: typeof isOfRightKind) => results.flatMap((result) => claimsOf(result, window, isRight))
  const service = claims((label, given) => faultOf(label, given) !== undefined)
  const withKind = claims(isOfRightKind)
  const error = (all: Claim[]) => (all.length === 0 ? 'none' : expectedCalibrationError(all).toFixed(3))
  return {
    title: `Calibration of the confidence, window ${window} minutes`,
    note: `Every diagnosis given, n ${service.length}. Expected calibration error: ${error(service)} (right: names the service at fault); ${error(withKind)} (and the right kind of cause).`,
    head: ['confidence', 'n', 'mean confidence', 'names the service', 'and the kind'],
    rows: reliability(service).map(({ from, to, n, right, meanConfidence }) => {
      const kind = reliability(withKind).find((bin) => bin.from === from)
      return [
        `${from.toFixed(1)}–${to.toFixed(1)}`,
        String(n),
        meanConfidence.toFixed(2),
        shareText({ count: right, n }),
        shareText({ count: kind?.right ?? 0, n }),
      ]
    }),
  }
}

function claimsOf(result: Result, window: number, isRight: typeof isOfRightKind): Claim[] {
  return answerOf(result, window).diagnoses.map((given) => ({
    confidence: given.confidence,
    isRight: isRight(result.label, given),
  }))
}

function answerTimeTable(results: Result[]): Table {
  return {
    title: 'The time of an answer',
    head: ['', 'n', 'median ms', 'p95 ms', 'max ms'],
    rows: WINDOWS_MINUTES.map((window) => {
      const tookMs = results.map((result) => answerOf(result, window).tookMs)
      return [`window ${window}`, String(tookMs.length), rank(tookMs, 0.5), rank(tookMs, 0.95), rank(tookMs, 1)]
    }),
  }
}

/** Nearest rank. */
function rank(values: number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
  return value === undefined ? '–' : String(Math.round(value))
}
