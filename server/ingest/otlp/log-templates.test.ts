import { describe, expect, it } from 'vitest'
import { TextColumn } from '../../domain/columns/text-column.ts'
import { logTemplate } from '../../domain/log-template.ts'
import { SeededRandom } from '../../storage/conformance/seeded-random.ts'
import { LogTemplates } from './log-templates.ts'

const PIECES = [
  ...'abxg z_-+.:/,;=@%<>()[]{}"\'`|0179'.split(''),
  ...['\n', '\r', '\t', '\u00a0', '\u2028', 'é', '键', '🙂', '://', ' 0x', 'ab12', 'deadbeef', 'e2e', 'http', ' at '],
  ...[
    '7b0e4a52-52a6-4b8a-9c63-52b2ff6f0001',
    'abcdefab-abcd-abcd-abcd-abcdefabcdef',
    'a@b.org',
    '{"msg":"',
    '"}',
    '\\',
  ],
]

function templatesOf(texts: string[]): string[] {
  const [bodies, out, templates] = [new TextColumn(), new TextColumn(), new LogTemplates()]
  texts.forEach((text, row) => {
    const bytes = Buffer.from(text)
    bodies.pushBytes(bytes, 0, bytes.length)
    templates.push(out, bodies, row)
  })
  return texts.map((_, row) => out.textOf(row))
}

describe('templates of records', () => {
  it('are those of the domain, also where only the shape of a text was seen before', () => {
    const random = new SeededRandom(7)
    const texts = Array.from({ length: 30_000 }, () =>
      Array.from({ length: random.below(random.pick([4, 12, 30])) }, () => random.pick(PIECES)).join(''),
    )
    expect(templatesOf(texts)).toEqual(texts.map(logTemplate))
  })

  it('are those of the domain where a text is long', () => {
    const random = new SeededRandom(8)
    const words = ['order', '12345', 'é', '🙂', 'a1b2c3d4', ' ', ' ', '-', '\n']
    const texts = Array.from({ length: 300 }, () => Array.from({ length: 400 }, () => random.pick(words)).join(''))
    expect(templatesOf(texts)).toEqual(texts.map((text) => Buffer.from(logTemplate(text)).toString()))
  })

  it('differ for each text that differs in what is no variable', () => {
    const texts = ['order 17 stored', 'order 18 stored', 'order 18 lost', 'order x18 lost', '']
    expect(templatesOf(texts)).toEqual(['order <*> stored', 'order <*> stored', 'order <*> lost', 'order <*> lost', ''])
  })
})
