import type { Mask } from './mask.ts'

/** Finds something in texts, in time linear in their length, whatever they are. */
export interface TextFinder {
  /** A number with fewer digits cannot have it in it. */
  digitsMin: number
  /** The text with what was found in it replaced; the very text where nothing was. */
  replace(text: string, mask: Mask): string
}
