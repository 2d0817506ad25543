import { describe, expect, it } from 'vitest'
import { isFoundAsIs, wordPattern, wordsOf } from './word-pattern.ts'

describe('words', () => {
  it('are what stands between white space of any kind, each once', () => {
    expect(wordsOf(' timed\tout\u3000 timed\n')).toEqual(['timed', 'out'])
    expect(wordsOf(' \n ')).toEqual([])
  })

  it('have the sign that stands in stored texts for a zero character', () => {
    expect(wordsOf('a\0b')).toEqual(['a\ufffdb'])
  })
})

describe('the pattern of a word', () => {
  it('takes every character for itself', () => {
    const signs = '\\^$.*+?()[]{}|/-#&~!"%,:;<=>@`\''
    expect(new RegExp(`^(?:${wordPattern(signs)})$`, 'iu').test(signs)).toBe(true)
  })

  it('is not needed where there is no other case and no other spelling', () => {
    for (const word of ['404', '连接', '-17%', 'فشل']) expect(isFoundAsIs(word), word).toBe(true)
    for (const word of ['한글', 'a', 'ß', 'Ж', '\u0345', 'e\u0301', 'ς']) expect(isFoundAsIs(word), word).toBe(false)
  })
})
