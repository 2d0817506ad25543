import { fork } from 'node:child_process'
import { compiled } from './compiled.ts'

/** As the program sets it for itself. */
const ENVIRONMENT = { ...process.env, UV_THREADPOOL_SIZE: '16' }

/** Runs a compiled file in another process, and resolves with the first message it sends. */
export function runCompiled<T>(path: string, options: object): Promise<T> {
  const child = fork(compiled(path), [JSON.stringify(options)], { env: ENVIRONMENT })
  return new Promise((resolve, reject) => {
    let answer: T | undefined
    child.once('message', (message: T) => {
      answer = message
    })
    child.once('error', reject)
    child.once('exit', (code) => {
      if (answer === undefined) reject(new Error(`${path} ended with code ${code} before its answer`))
      else resolve(answer)
    })
  })
}
