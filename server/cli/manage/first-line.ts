import { StringDecoder } from 'node:string_decoder'
import { WrongUsage } from '../failure.ts'

const LENGTH_MAX = 100_000

/** The first line of standard input; `what` says what it should be. */
export async function firstLine(input: AsyncIterable<Buffer | string>, what: string): Promise<string> {
  const decoder = new StringDecoder('utf8')
  let text = ''
  for await (const chunk of input) {
    text += typeof chunk === 'string' ? chunk : decoder.write(chunk)
    if (text.includes('\n') || text.length > LENGTH_MAX) break
  }
  const line = (text.split('\n')[0] ?? '').replace(/\r$/, '')
  if (line === '') throw new WrongUsage(`Standard input has no ${what} in its first line.`)
  return line
}
