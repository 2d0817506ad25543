import { bytesText } from '../bytes-text.ts'
import { type Output, printLine } from '../shell.ts'

const LINE_EVERY_MS = 2_000

interface BytesDone {
  files: number
  bytes: number
  bytesCopied: number
}

/** Says now and then how far the copying is. */
export function createByteProgress(output: Output): (at: BytesDone) => void {
  let toldMs = performance.now()
  return ({ files, bytes, bytesCopied }) => {
    if (performance.now() - toldMs < LINE_EVERY_MS) return
    toldMs = performance.now()
    const copied = `${bytesText(bytesCopied)} copied, of ${files} files with ${bytesText(bytes)} …`
    printLine(output, files === 0 ? 'Waiting until all that was acknowledged is in its place …' : copied)
  }
}
