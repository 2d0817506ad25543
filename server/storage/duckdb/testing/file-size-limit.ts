import { execFileSync } from 'node:child_process'

/** Whether this system can bound the size of the files that a process writes, as a full disk would. */
export const CAN_LIMIT_FILES = ((): boolean => {
  try {
    limitFiles('unlimited')
    return true
  } catch {
    return false
  }
})()

/** From now on, writing beyond this size of any file fails in this process. */
export function limitFiles(bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:unlimited`], { stdio: 'ignore' })
}
