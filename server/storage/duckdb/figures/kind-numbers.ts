import { SPAN_KINDS } from '../../../domain/span.ts'

/** As which numbers a kind is stored; undefined for every kind. */
export function kindNumbers(kind: string | undefined): number[] | undefined {
  return kind === undefined ? undefined : [...SPAN_KINDS.keys()].filter((number) => SPAN_KINDS[number] === kind)
}
