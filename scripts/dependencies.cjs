'use strict'

const { lstatSync, readFileSync } = require('node:fs')
const { join } = require('node:path')
const { run, SetupFailed } = require('./run.cjs')

/** What package-lock.json asks for, in node_modules. */
const dependencies = {
  announcement: 'Installing dependencies (npm ci), which takes about half a minute …',

  /** Compares with npm's own record of what it installed, which it writes last. */
  isFresh(root) {
    const wanted = readPackages(join(root, 'package-lock.json'))
    const installed = readPackages(join(root, 'node_modules', '.package-lock.json'))
    if (!installed) return false
    return Object.entries(wanted ?? {}).every(([path, { version, integrity, optional, devOptional }]) => {
      if (path === '') return true
      const found = installed[path]
      // What is optional may be for another platform.
      if (!found) return optional || devOptional
      return found.version === version && found.integrity === integrity
    })
  },

  async make(root) {
    refuseToEmptyALinkedFolder(join(root, 'node_modules'))
    await run('npm', ['ci', '--include=dev', '--no-fund', '--no-audit'], root)
  },
}

/** `npm ci` empties node_modules first; behind a link, that would be someone else's. */
function refuseToEmptyALinkedFolder(folder) {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new SetupFailed(
      'node_modules is a link, and what it leads to does not match package-lock.json: install there.',
    )
  }
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return undefined
  }
}

module.exports = { dependencies }
