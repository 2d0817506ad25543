import type { RequestGroup } from '../../diagnostics-reader.ts'
import type { HourFile } from '../files/hour-file.ts'
import { GroupNumbers, GroupPart } from './group-parts.ts'

/** A group that has fewer than a thousand requests in many hours seldom has more in one of them. */
const EXACT_PER_HOUR = 64

interface HourAnswer {
  changedAtMs: number
  part: GroupPart
}

/** What was answered to one question about hours that are over, hour by hour. */
export class KeptAnswers {
  readonly numbers = new GroupNumbers()
  private readonly hours = new Map<HourFile, HourAnswer>()

  get bytes(): number {
    let bytes = this.numbers.bytes
    for (const { part } of this.hours.values()) bytes += part.bytes
    return bytes
  }

  /** Undefined where it is not known, or something was sealed into the hour since. */
  find(file: HourFile): GroupPart | undefined {
    const known = this.hours.get(file)
    return known?.changedAtMs === file.changedAtMs ? known.part : undefined
  }

  /** `changedAtMs` is that of the file from before somebody looked. */
  keep(file: HourFile, changedAtMs: number, groups: RequestGroup[]): GroupPart {
    for (const known of this.hours.keys()) if (known.gone) this.hours.delete(known)
    const part = new GroupPart(groups, this.numbers, !file.isStripped, EXACT_PER_HOUR)
    this.hours.set(file, { changedAtMs, part })
    return part
  }
}

/** Who asks about days asks about the same hours again, but for the last. */
export class KeptGroups {
  private readonly bytesMax: number
  /** By what was asked, but for its window. Those asked last come last. */
  private readonly byQuestion = new Map<string, KeptAnswers>()

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  of(asked: string): KeptAnswers {
    const answers = this.byQuestion.get(asked) ?? new KeptAnswers()
    this.byQuestion.delete(asked)
    this.byQuestion.set(asked, answers)
    return answers
  }

  makeRoom(): void {
    let bytes = 0
    for (const answers of this.byQuestion.values()) bytes += answers.bytes
    for (const [asked, answers] of this.byQuestion) {
      if (bytes <= this.bytesMax) return
      this.byQuestion.delete(asked)
      bytes -= answers.bytes
    }
  }
}
