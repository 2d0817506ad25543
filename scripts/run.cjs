'use strict'

const { spawn } = require('node:child_process')
const { constants } = require('node:os')

/** The message is for the person who called the script. */
class SetupFailed extends Error {
  constructor(message, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/**
 * Runs a program without showing its output, unless it fails: then `SetupFailed` carries it. A signal that asks this
 * process to stop is passed on, so that no program is left behind.
 */
function run(command, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    const output = []
    let stoppedBy
    const stop = (signal) => {
      stoppedBy = signal
      child.kill(signal)
    }
    process.on('SIGINT', stop).on('SIGTERM', stop)
    const settle = (error) => {
      process.off('SIGINT', stop).off('SIGTERM', stop)
      error ? reject(error) : resolve()
    }
    child.stdout.on('data', (chunk) => output.push(chunk))
    child.stderr.on('data', (chunk) => output.push(chunk))
    child.on('error', (error) => settle(new SetupFailed(`${command} cannot be run: ${error.message}`)))
    child.on('close', (code) => {
      if (stoppedBy) settle(new SetupFailed(`Stopped by ${stoppedBy}.`, 128 + constants.signals[stoppedBy]))
      else if (code !== 0) settle(new SetupFailed(`${Buffer.concat(output)}\n${[command, ...args].join(' ')} failed.`))
      else settle()
    })
  })
}

module.exports = { run, SetupFailed }
