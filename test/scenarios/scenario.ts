/** A line of a scenario file, without its indentation and comments. */
export interface Line {
  text: string
  indent: number
  /** In the file, from 1. */
  number: number
}

/** When something happens, in milliseconds from the scenario's moment: at `fromMs` and every `everyMs` until before `toMs`. */
export interface Schedule {
  fromMs: number
  toMs: number
  everyMs: number
}

export type SignalBlock = 'spans' | 'logs' | 'metrics'

export interface Load {
  kind: 'load'
  line: Line
  signal: SignalBlock
  schedule: Schedule
  /** What happens each time, as written. */
  lines: Line[]
}

/** What a field of an answer must be: one value, or a table with a row for each element. */
export type Expectation =
  | { kind: 'refusal'; line: Line; status: number; problem: string; detail: string }
  | { kind: 'value'; line: Line; path: string; value: string }
  | {
      kind: 'table'
      line: Line
      path: string
      columns: string[]
      rows: string[][]
      /** More may follow. */
      open: boolean
      /** Their order does not matter. */
      unordered: boolean
    }

export interface Ask {
  kind: 'ask'
  line: Line
  /** After the Grid, encoded. */
  path: string
  query: [key: string, value: string][]
  /** It, and what is asked after it, is found in the background, which has to have looked first. */
  awaits: boolean
  expectations: Expectation[]
}

/** Settings of the Grid, by the path under it. */
export interface Setting {
  kind: 'setting'
  method: 'PUT' | 'POST'
  path: string
  body: object
}

/** A person acknowledges every alert of this rule that fires. */
export interface Acknowledgement {
  kind: 'acknowledgement'
  ruleName: string
}

/** A chart is made. */
export interface ChartStep {
  kind: 'chart'
  body: object
}

export type Step = Load | Ask | Setting | Acknowledgement | ChartStep

export interface Scenario {
  title: string
  file: string
  line: number
  /** Its moment is now, rather than noon of the day before. */
  present: boolean
  /** Between two of these everything is sealed. */
  stages: Step[][]
}
