'use strict'
// `npm start` on a fresh clone: installs what is missing, builds what is stale, and becomes the program. Staying one
// process is what lets a signal reach the program, and nothing here may use libuv's pool before the program sizes it.

require('../bin/check-node.cjs')

const { join } = require('node:path')
const { setUp, SetupFailed } = require('./set-up.cjs')

setUp(join(__dirname, '..')).then(
  () => require('../bin/faultline.cjs'),
  (error) => {
    if (!(error instanceof SetupFailed)) throw error
    console.error(error.message)
    process.exit(error.exitCode)
  },
)
