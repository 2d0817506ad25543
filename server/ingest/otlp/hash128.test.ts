import { expect, test } from 'vitest'
import { hash128 } from './hash128.ts'

function hexOf(text: string): string {
  const out = new Int32Array(4)
  hash128(viewOf(Buffer.from(text)), 0, text.length, out, 0)
  return Array.from(out, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array | Int32Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

test.each([
  ['', '00000000000000000000000000000000'],
  ['0', '0ab2409ea5eb34f8a5eb34f8a5eb34f8'],
  ['01', '0f87acb4674f3b21674f3b21674f3b21'],
  ['012', 'cd94fea54c13d78e4c13d78e4c13d78e'],
  ['01234', '35c5b3ee7b3b211600ae108800ae1088'],
  ["I will not buy this tobacconist's, it is scratched.", '9b5b7ba2ef3f7866889adeaf00f3f98e'],
])('hashes %j as the reference does', (text, expected) => {
  expect(hexOf(text)).toBe(expected)
})

test("agrees with the reference on every length up to 255, by SMHasher's own verification", () => {
  const keys = Uint8Array.from({ length: 256 }, (_, i) => i)
  const digests = new Int32Array(256 * 4)
  for (let length = 0; length < 256; length++) hash128(viewOf(keys), 0, length, digests, length * 4, 256 - length)
  const out = new Int32Array(4)
  hash128(viewOf(digests), 0, digests.byteLength, out, 0)
  expect(out[0]).toBe(0xb3ece62a | 0)
})

test('reads only its range and writes only its four words', () => {
  const out = new Int32Array(8).fill(7)
  hash128(viewOf(Buffer.from('before012after')), 6, 9, out, 2)
  const alone = new Int32Array(4)
  hash128(viewOf(Buffer.from('012')), 0, 3, alone, 0)
  expect([...out]).toEqual([7, 7, ...alone, 7, 7])
})
