import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { type Picture, type PictureMaker, TooManyPictures } from '../picture.ts'
import { createRenderThread } from './render-thread.ts'

const PICTURE = { width: 100, height: 100, title: 'T', series: [] } as unknown as Picture

let maker: PictureMaker | undefined
let started = 0
afterEach(async () => {
  await maker?.close()
  started = 0
})

/** A thread that runs these lines in place of the drawing. */
function threadOf(lines: string, idleMs?: number): PictureMaker {
  const start = () => {
    started++
    return new Worker(`const { parentPort: parent } = require('node:worker_threads')\n${lines}`, { eval: true })
  }
  maker = createRenderThread({ start, ...(idleMs !== undefined && { idleMs }) })
  return maker
}

const DRAWS = `parent.on('message', ({ id, picture }) => parent.postMessage({ id, png: Buffer.from(picture.title) }))`

describe('the thread that draws', () => {
  it('is started by the first picture, and draws all of them', async () => {
    const thread = threadOf(DRAWS)
    expect(started).toBe(0)
    const drawn = await Promise.all(['a', 'b', 'c'].map((title) => thread.draw({ ...PICTURE, title })))
    expect(drawn.map((png) => Buffer.from(png).toString())).toEqual(['a', 'b', 'c'])
    expect(started).toBe(1)
  })

  it('refuses more than may wait', async () => {
    const thread = threadOf(`parent.on('message', () => {})`)
    const waiting = Array.from({ length: 32 }, () => thread.draw(PICTURE))
    for (const each of waiting) each.catch(() => undefined)
    await expect(thread.draw(PICTURE)).rejects.toBeInstanceOf(TooManyPictures)
    await thread.close()
    await expect(waiting[0]).rejects.toThrow('stopping')
    await expect(thread.draw(PICTURE)).rejects.toThrow('stopping')
  })

  it('is replaced where it dies, and says what could not be drawn', async () => {
    const thread = threadOf(
      `parent.on('message', ({ id, picture }) => { if (picture.title === 'x') process.exit(1); parent.postMessage({ id, failure: 'no' }) })`,
    )
    await expect(thread.draw({ ...PICTURE, title: 'x' })).rejects.toThrow('ended')
    await expect(thread.draw(PICTURE)).rejects.toThrow('no')
    expect(started).toBe(2)
  })

  it('ends when it has nothing to do', async () => {
    const thread = threadOf(DRAWS, 0)
    await thread.draw(PICTURE)
    await new Promise((resolve) => setTimeout(resolve, 50))
    await thread.draw(PICTURE)
    expect(started).toBe(2)
  })
})
