// Prints how many tests passed and failed, from the file that vitest's JSON reporter wrote.

import { existsSync, readFileSync } from 'node:fs'

const [file] = process.argv.slice(2)

if (existsSync(file)) {
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(file, 'utf8'))
  console.log(`${numPassedTests} passed, ${numFailedTests + testResults.filter(brokenAsAWhole).length} failed`)
} else {
  console.log('0 passed, 0 failed (the tests did not run)')
}

/** A file that could not be loaded has no test that failed, and yet it has. */
function brokenAsAWhole({ status, assertionResults }) {
  return status === 'failed' && assertionResults.every((test) => test.status !== 'failed')
}
