import type { RequestStep } from '../../chart-reader.ts'
import type { HourFile } from '../files/hour-file.ts'

/** Numbers that a step has, in the order of their columns. */
const NUMBERS = [
  'requestCount',
  'errorCount',
  'satisfiedCount',
  'toleratingCount',
  'p50Ms',
  'p95Ms',
  'p99Ms',
] as const satisfies (keyof RequestStep)[]

/** A row of numbers, two big integers, and the number of its group. */
const BYTES_PER_STEP = NUMBERS.length * 8 + 20

/** The steps of one hour by columns: as objects they would take three times the space. */
class HourSteps {
  readonly changedAtMs: number
  readonly bytes: number
  private readonly groups: string[]
  private readonly groupAt: Uint32Array
  private readonly stepNs: BigInt64Array
  private readonly durationNs: BigInt64Array
  private readonly numbers: Float64Array

  constructor(changedAtMs: number, steps: RequestStep[]) {
    const groups = new Map<string, number>()
    for (const { group } of steps) if (!groups.has(group)) groups.set(group, groups.size)
    this.changedAtMs = changedAtMs
    this.bytes = steps.length * BYTES_PER_STEP
    this.groups = [...groups.keys()]
    this.groupAt = Uint32Array.from(steps, ({ group }) => groups.get(group) as number)
    this.stepNs = BigInt64Array.from(steps, ({ stepNs }) => stepNs)
    this.durationNs = BigInt64Array.from(steps, ({ durationNsSum }) => durationNsSum)
    this.numbers = new Float64Array(steps.length * NUMBERS.length)
    let at = 0
    for (const step of steps) for (const name of NUMBERS) this.numbers[at++] = step[name]
  }

  addTo(steps: RequestStep[]): void {
    const { numbers } = this
    for (let row = 0, at = 0; row < this.groupAt.length; row++, at += NUMBERS.length)
      steps.push({
        group: this.groups[this.groupAt[row] as number] as string,
        stepNs: this.stepNs[row] as bigint,
        requestCount: numbers[at] as number,
        errorCount: numbers[at + 1] as number,
        durationNsSum: this.durationNs[row] as bigint,
        satisfiedCount: numbers[at + 2] as number,
        toleratingCount: numbers[at + 3] as number,
        p50Ms: numbers[at + 4] as number,
        p95Ms: numbers[at + 5] as number,
        p99Ms: numbers[at + 6] as number,
      })
  }
}

/** What charts have been told of hours that are over. Who looks at a chart again asks for the same hours, but for the last. */
export class KeptSteps {
  private readonly bytesMax: number
  /** By what was asked, but for its window. Those asked last come last. */
  private readonly byQuestion = new Map<string, Map<HourFile, HourSteps>>()

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  /** Adds the steps of an hour to others. False where they are not known, or something was sealed into it since. */
  addTo(steps: RequestStep[], asked: string, file: HourFile): boolean {
    const hours = this.byQuestion.get(asked)
    const known = hours?.get(file)
    if (!hours || known?.changedAtMs !== file.changedAtMs) return false
    this.byQuestion.delete(asked)
    this.byQuestion.set(asked, hours)
    known.addTo(steps)
    return true
  }

  /** `changedAtMs` is that of the file from before somebody looked. */
  keep(asked: string, file: HourFile, changedAtMs: number, steps: RequestStep[]): void {
    if (steps.some(({ durationNsSum }) => BigInt.asIntN(64, durationNsSum) !== durationNsSum)) return
    const hours = this.byQuestion.get(asked) ?? new Map<HourFile, HourSteps>()
    this.byQuestion.set(asked, hours)
    for (const known of hours.keys()) if (known.gone) hours.delete(known)
    hours.set(file, new HourSteps(changedAtMs, steps))
    this.makeRoom()
  }

  private makeRoom(): void {
    const bytesOf = (hours: Map<HourFile, HourSteps>) => [...hours.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    let bytes = 0
    for (const hours of this.byQuestion.values()) bytes += bytesOf(hours)
    for (const [asked, hours] of this.byQuestion) {
      if (bytes <= this.bytesMax) return
      this.byQuestion.delete(asked)
      bytes -= bytesOf(hours)
    }
  }
}
