import { describe, expect, it } from 'vitest'
import { ByteSource } from './byte-source.ts'

/** The text, a few bytes at a time. */
function source(text: string, chunkBytes: number): ByteSource {
  const bytes = Buffer.from(text)
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
  return new ByteSource(chunks())
}

async function linesOf(text: string, chunkBytes: number, max = 1000): Promise<(string | null)[]> {
  const from = source(text, chunkBytes)
  const lines: (string | null)[] = []
  for (let line = await from.takeLine(max); line !== undefined; line = await from.takeLine(max)) {
    lines.push(line && Buffer.from(line).toString())
  }
  return lines
}

describe.each([1, 2, 3, 7, 1000])('bytes that come %i at a time', (chunkBytes) => {
  it('are read by lines, with or without an end of the last one', async () => {
    const expected = ['one', '', 'zwölf', '€']
    expect(await linesOf('one\n\nzwölf\n€', chunkBytes)).toEqual(expected)
    expect(await linesOf('one\n\nzwölf\n€\n', chunkBytes)).toEqual(expected)
    expect(await linesOf('', chunkBytes)).toEqual([])
  })

  it('are read by lines that are not longer than a limit', async () => {
    expect(await linesOf('12345\n123456\n1\n1234567', chunkBytes, 5)).toEqual(['12345', null, '1', null])
  })

  it('are read by numbers, and looked at before', async () => {
    const from = source('abcdefghij', chunkBytes)
    expect(Buffer.from(await from.peek(3)).toString()).toBe('abc')
    expect(Buffer.from(await from.take(4)).toString()).toBe('abcd')
    expect(Buffer.from(await from.peek(1)).toString()).toBe('e')
    expect(from.offset).toBe(4)
    expect(Buffer.from(await from.take(100)).toString()).toBe('efghij')
    expect((await from.take(1)).length).toBe(0)
    expect(from.offset).toBe(10)
  })
})
