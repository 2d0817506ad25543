import { createCanvas, loadImage } from '@napi-rs/canvas'
import { expect, it } from 'vitest'
import { encodePng } from './encode-png.ts'

it('makes a PNG that others read as the same pixels', async () => {
  const [width, height] = [37, 21]
  const pixels = Uint8Array.from({ length: width * height * 4 }, (_, i) => (i % 4 === 3 ? 255 : (i * 31) % 256))
  const image = await loadImage(encodePng(pixels, width, height))
  expect([image.width, image.height]).toEqual([width, height])
  const context = createCanvas(width, height).getContext('2d')
  context.drawImage(image, 0, 0)
  expect(Buffer.from(context.getImageData(0, 0, width, height).data).equals(pixels)).toBe(true)
})
