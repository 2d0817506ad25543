'use strict'

const { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } = require('node:fs')
const { dirname } = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')

const TIMES = { beatMs: 1000, pollMs: 100, deadAfterMs: 10_000 }

/**
 * Does the work while no other process does it under the same file. The holder touches the file every second; one that
 * was not touched for ten seconds belonged to a process that is gone. Process ids would not do: a restarted container
 * gives the same ones again.
 */
async function withLock(file, onWait, work, times = TIMES) {
  mkdirSync(dirname(file), { recursive: true })
  await acquire(file, onWait, times)
  const beat = setInterval(() => touch(file), times.beatMs)
  try {
    return await work()
  } finally {
    clearInterval(beat)
    rmSync(file, { force: true })
  }
}

async function acquire(file, onWait, { pollMs, deadAfterMs }) {
  let lastBeat
  let lastBeatSeenMs
  while (!create(file)) {
    if (lastBeatSeenMs === undefined) onWait()
    const beat = statSync(file, { throwIfNoEntry: false })?.mtimeMs
    if (beat !== lastBeat || lastBeatSeenMs === undefined) {
      lastBeat = beat
      lastBeatSeenMs = performance.now()
    } else if (performance.now() - lastBeatSeenMs > deadAfterMs) {
      rmSync(file, { force: true })
    }
    await sleep(pollMs)
  }
}

function create(file) {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function touch(file) {
  try {
    utimesSync(file, new Date(), new Date())
  } catch {
    // Taken over after a long standstill of this process; the work is finished all the same.
  }
}

module.exports = { withLock }
