import { parentPort } from 'node:worker_threads'
import { drawPicture } from './draw-picture.ts'
import { registerFonts } from './fonts.ts'
import type { DrawMessage, DrawnMessage } from './messages.ts'

registerFonts()

parentPort?.on('message', ({ id, picture }: DrawMessage) => {
  try {
    const png = new Uint8Array(drawPicture(picture))
    parentPort?.postMessage({ id, png } satisfies DrawnMessage, [png.buffer])
  } catch (error) {
    parentPort?.postMessage({ id, failure: (error as Error).message } satisfies DrawnMessage)
  }
})
