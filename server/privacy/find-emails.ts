import type { TextFinder } from './text-finder.ts'

/** An address in a URL has its sign encoded. */
const AT = /@|%40/g
const LOCAL = /[\p{L}\p{N}._+'-]/u
const DOMAIN = /[\p{L}\p{N}.-]/u
const LOCAL_CHARS_MAX = 64
const DOMAIN_CHARS_MAX = 253

/** Mail addresses. Looks only around the signs of addresses, a bounded number of characters. */
export const findEmails: TextFinder = {
  digitsMin: Number.POSITIVE_INFINITY,
  replace(text, mask) {
    let kept = ''
    let from = 0
    for (const { index, 0: sign } of text.matchAll(AT)) {
      const start = startOfLocal(text, index, from)
      const end = endOfDomain(text, index + sign.length)
      if (start === index || end === index + sign.length) continue
      kept += text.slice(from, start) + mask(text.slice(start, end))
      from = end
    }
    return from === 0 ? text : kept + text.slice(from)
  },
}

function startOfLocal(text: string, at: number, from: number): number {
  let start = at
  const limit = Math.max(from, at - LOCAL_CHARS_MAX)
  while (start > limit && LOCAL.test(text[start - 1] as string)) start--
  while (start < at && text[start] === '.') start++
  return start
}

/** Where the domain ends; where it starts if there is none. */
function endOfDomain(text: string, start: number): number {
  let end = start
  const limit = Math.min(text.length, start + DOMAIN_CHARS_MAX)
  while (end < limit && DOMAIN.test(text[end] as string)) end++
  while (end > start && /[.-]/.test(text[end - 1] as string)) end--
  const domain = text.slice(start, end)
  const lastDot = domain.lastIndexOf('.')
  const topLevel = lastDot > 0 ? domain.slice(lastDot + 1) : ''
  return topLevel.length >= 2 && /^[\p{L}-]/u.test(topLevel) ? end : start
}
