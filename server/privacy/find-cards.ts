import type { TextFinder } from './text-finder.ts'

/**
 * The digits of a card in a row, or in groups as they are printed. What is part of a longer number or of hex digits is none. Each
 * row of digits is looked at once, and no further than 19 of them.
 */
const CARD =
  /(?<![0-9a-fA-F]|\d\.)(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{4,5})(?![0-9a-fA-F])/g
/** The ranges that issuers have. */
const ISSUED = /^(?:4|5[0-8]|6|2[2-7]|3[04-9])/

/** Numbers of payment cards: 13 to 19 digits of an issuer's range whose last one is the right check digit. */
export const findCards: TextFinder = {
  digitsMin: 13,
  replace: (text, mask) => text.replace(CARD, (found) => (isCard(found) ? mask(found.replace(/\D/g, '')) : found)),
}

function isCard(found: string): boolean {
  const digits = found.replace(/\D/g, '')
  return digits.length >= 13 && ISSUED.test(digits) && hasCheckDigit(digits)
}

/** Luhn's algorithm: from the right every second digit counts twice, and all together are a multiple of ten. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const counted = i % 2 === 0 ? digit : digit * 2
    sum += counted > 9 ? counted - 9 : counted
  }
  return sum % 10 === 0
}
