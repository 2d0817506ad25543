import { Option } from 'commander'
import { wholeNumber } from '../option-parsers.ts'

/** What the questions of Diagnostics are about: a moment and the minutes before it. */
export interface MomentFlags {
  at?: string
  window?: number
}

export function momentOptions(): Option[] {
  return optionsWith('15')
}

export function dayOptions(): Option[] {
  return optionsWith('1440, which is a day')
}

function optionsWith(windowDefault: string): Option[] {
  const window = new Option('--window <minutes>', `how many minutes before it count; by default ${windowDefault}`)
  return [
    new Option('--at <datetime>', 'as of this moment (ISO 8601); by default now'),
    window.argParser(wholeNumber(1, 1440)),
  ]
}
