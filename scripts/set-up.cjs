'use strict'

const { join } = require('node:path')
const { dependencies } = require('./dependencies.cjs')
const { program } = require('./program.cjs')
const { SetupFailed } = require('./run.cjs')
const { withLock } = require('./with-lock.cjs')

/**
 * Brings a checkout to where it can run. Costs a few milliseconds where nothing is stale. Several processes may call it
 * at the same time: one works, the others wait for it. Rejects with `SetupFailed`.
 */
async function setUp(root, { steps = [dependencies, program], say = sayOnStderr } = {}) {
  const stale = () => steps.filter((step) => !step.isFresh(root))
  if (stale().length === 0) return
  const lock = join(root, '.tmp', 'set-up.lock')
  const onWait = () => say('Waiting for another start that is setting up this folder …')
  const makeStale = async () => {
    for (const step of stale()) {
      say(step.announcement)
      await step.make(root)
    }
  }
  await withLock(lock, onWait, makeStale).catch((error) => {
    throw isSystemError(error) ? new SetupFailed(`This folder cannot be set up: ${error.message}`) : error
  })
}

/** Such as a folder that cannot be written, or a full disk. */
function isSystemError(error) {
  return error.syscall !== undefined
}

/** Standard output belongs to the program. */
function sayOnStderr(line) {
  console.error(line)
}

module.exports = { setUp, SetupFailed }
