import { expect, test } from 'vitest'
import { copyBytes } from './copy-bytes.ts'
import { copyPlain } from './copy-plain.ts'

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** What is copied of the bytes, which lie in the midst of others, and what became of the target beside it. */
function copied(bytes: Uint8Array): { text: Uint8Array; around: number[] } {
  const source = new Uint8Array(bytes.length + 7).fill(0x22)
  source.set(bytes, 3)
  const target = new Uint8Array(bytes.length + 7).fill(7)
  const end = copyPlain(viewOf(source), 3, 3 + bytes.length, viewOf(target), 2)
  return { text: target.slice(2, 2 + end - 3), around: [...target.slice(0, 2), ...target.slice(2 + bytes.length)] }
}

test('every byte stops copying where it stands, or never', () => {
  for (let byte = 0; byte < 256; byte++) {
    const isPlain = byte < 0x80 && JSON.stringify(String.fromCharCode(byte)).length === 3
    for (let length = 1; length < 14; length++) {
      for (let at = 0; at < length; at++) {
        const bytes = new Uint8Array(length).fill(0x61)
        bytes[at] = byte
        expect(copied(bytes).text).toEqual(isPlain ? bytes : bytes.subarray(0, at))
      }
    }
  }
})

test('of several bytes that are not plain the first stops it', () => {
  const bytes = Buffer.from('abcdefgh"\\é\0i')
  for (let start = 0; start < 9; start++) {
    expect(copied(Uint8Array.from(bytes.subarray(start))).text).toEqual(Uint8Array.from(bytes.subarray(start, 8)))
  }
})

test('nothing is written beside what is copied', () => {
  for (let length = 0; length < 14; length++) {
    expect(copied(new Uint8Array(length).fill(0x61)).around).toEqual([7, 7, 7, 7, 7, 7, 7])
  }
})

test('bytes of any number are copied whole, and nothing beside them', () => {
  for (let length = 0; length < 20; length++) {
    const source = Uint8Array.from({ length: length + 3 }, (_, i) => 200 + i)
    const target = new Uint8Array(length + 5).fill(7)
    copyBytes(viewOf(source), 1, 1 + length, viewOf(target), 2)
    expect([...target]).toEqual([7, 7, ...source.subarray(1, 1 + length), 7, 7, 7])
  }
})
