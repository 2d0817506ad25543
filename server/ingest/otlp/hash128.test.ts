import { expect, test } from 'vitest'
import { hash128 } from './hash128.ts'

function hexOf(text: string): string {
  const bytes = Buffer.from(text)
  const out = new Uint8Array(16)
  hash128(bytes, 0, bytes.length, out, 0)
  return [0, 4, 8, 12]
    .map((at) =>
      Buffer.from(out.subarray(at, at + 4))
        .reverse()
        .toString('hex'),
    )
    .join('')
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
  const digests = new Uint8Array(256 * 16)
  for (let length = 0; length < 256; length++) hash128(keys, 0, length, digests, length * 16, 256 - length)
  const out = new Uint8Array(16)
  hash128(digests, 0, digests.length, out, 0)
  expect(new DataView(out.buffer).getUint32(0, true)).toBe(0xb3ece62a)
})

test('reads only its range and writes only its 16 bytes', () => {
  const bytes = Buffer.from('before012after')
  const out = new Uint8Array(20).fill(7)
  hash128(bytes, 6, 9, out, 2)
  expect(out.subarray(0, 2)).toEqual(new Uint8Array([7, 7]))
  expect(out.subarray(18)).toEqual(new Uint8Array([7, 7]))
  const alone = new Uint8Array(16)
  hash128(Buffer.from('012'), 0, 3, alone, 0)
  expect(out.subarray(2, 18)).toEqual(alone)
})
