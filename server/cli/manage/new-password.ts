import { CommandFailed, WrongUsage } from '../failure.ts'
import type { Input, Shell } from '../shell.ts'
import { firstLine } from './first-line.ts'

const LENGTH_MAX = 1000
/** Enter, Ctrl-C and Ctrl-D. */
const ENDS = ['\r', '\n', '\u0003', '\u0004']
const ERASE = ['\b', '\u007f']

/** Asked for twice without an echo, or the first line of standard input. */
export async function newPassword(shell: Shell, fromStdin: boolean): Promise<string> {
  if (fromStdin) return firstLine(shell.stdin, 'password')
  if (!shell.stdin.isTTY) throw new WrongUsage('The password is asked for on a terminal; or give --password-stdin.')
  const password = await askHidden(shell, 'Password: ')
  if (password !== (await askHidden(shell, 'Once more: '))) throw new CommandFailed('The two passwords differ.')
  return password
}

async function askHidden({ stdin, stderr }: Shell, question: string): Promise<string> {
  stdin.setRawMode?.(true)
  stderr.write(question)
  stdin.setEncoding('utf8')
  stdin.resume()
  try {
    return await typedLine(stdin)
  } finally {
    stdin.setRawMode?.(false)
    stdin.pause()
    stderr.write('\n')
  }
}

function typedLine(stdin: Input): Promise<string> {
  const typed: string[] = []
  return new Promise((resolve, reject) => {
    const take = (text: string): void => {
      for (const key of text) {
        if (ERASE.includes(key)) typed.pop()
        else if (!ENDS.includes(key)) typed.push(...(typed.length < LENGTH_MAX ? [key] : []))
        else {
          stdin.off('data', take)
          if (key === '\r' || key === '\n') resolve(typed.join(''))
          else reject(new CommandFailed('Interrupted.'))
          return
        }
      }
    }
    stdin.on('data', take)
  })
}
