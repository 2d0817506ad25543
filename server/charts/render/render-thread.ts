import { Worker } from 'node:worker_threads'
import { type Picture, type PictureMaker, TooManyPictures } from '../picture.ts'
import type { DrawnMessage } from './messages.ts'

/** Pictures that may wait; a large one takes about a second. */
const WAITING_MAX = 32
/** A thread that has nothing to draw for so long gives its memory back. */
const IDLE_MS = 60_000

interface Waiting {
  resolve: (png: Uint8Array) => void
  reject: (error: Error) => void
}

interface Options {
  start?: () => Worker
  idleMs?: number
}

/** Draws in a thread of its own, which is started with the first picture: until then drawing costs nothing. */
export function createRenderThread({ start = startWorker, idleMs = IDLE_MS }: Options = {}): PictureMaker {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let lastId = 0
  let idle: NodeJS.Timeout | undefined
  let closed = false

  function open(): Worker {
    const opened = start()
    opened.unref()
    opened.on('message', settle)
    opened.on('error', (error) => giveUp(opened, error))
    opened.on('exit', () => giveUp(opened, new Error('The thread that draws has ended.')))
    return opened
  }

  function settle(message: DrawnMessage): void {
    const waiter = waiting.get(message.id)
    waiting.delete(message.id)
    if ('png' in message) waiter?.resolve(message.png)
    else waiter?.reject(new Error(message.failure))
    if (waiting.size === 0) idle = setTimeout(stop, idleMs).unref()
  }

  /** Whatever waits fails; the next picture has a new thread. */
  function giveUp(ended: Worker, error: Error): void {
    if (worker !== ended) return
    worker = undefined
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  async function stop(): Promise<void> {
    const stopped = worker
    if (stopped) giveUp(stopped, new Error('The server is stopping.'))
    await stopped?.terminate()
  }

  return {
    async draw(picture: Picture) {
      if (closed) throw new Error('The server is stopping.')
      if (waiting.size >= WAITING_MAX) throw new TooManyPictures('Too many pictures are being drawn.')
      clearTimeout(idle)
      worker ??= open()
      const id = ++lastId
      const drawn = new Promise<Uint8Array>((resolve, reject) => waiting.set(id, { resolve, reject }))
      worker.postMessage({ id, picture })
      return await drawn
    },
    async close() {
      closed = true
      clearTimeout(idle)
      await stop()
    },
  }
}

function startWorker(): Worker {
  const env = { ...process.env, DISABLE_SYSTEM_FONTS_LOAD: '1' }
  return new Worker(new URL('./render-worker.js', import.meta.url), { env })
}
