'use strict'
// Simple syntax on purpose: a Node that is too old must get far enough to say so.

const [wantedMajor, wantedMinor] = require('../package.json').engines.node.match(/\d+/g).map(Number)
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < wantedMajor || (major === wantedMajor && minor < wantedMinor)) {
  console.error(`Faultline needs Node ${wantedMajor}.${wantedMinor} or newer, and this is ${process.version}.`)
  process.exit(1)
}
