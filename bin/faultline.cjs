#!/usr/bin/env node
'use strict'
// CommonJS on purpose: libuv reads the size of its pool when it first needs it, which for an ES module is before the
// module's first line. With the default of 4, four long questions to the store would make everything else wait.

require('./check-node.cjs')

if (!process.env.UV_THREADPOOL_SIZE) process.env.UV_THREADPOOL_SIZE = '16'

const { existsSync } = require('node:fs')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')

const main = join(__dirname, '..', 'dist', 'program', 'main.js')

if (existsSync(main)) {
  import(pathToFileURL(main).href).catch((error) => {
    console.error(error)
    process.exit(1)
  })
} else {
  console.error('Faultline is not built yet: `npm start` builds and starts it, `npm run build` only builds it.')
  process.exit(1)
}
