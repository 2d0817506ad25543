import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** From the package's own description, which lies higher up the folders, by one level more once it is compiled. */
export function packageVersion(): string {
  for (const up of ['../..', '../../..']) {
    try {
      const text = readFileSync(join(import.meta.dirname, up, 'package.json'), 'utf8')
      return (JSON.parse(text) as { version: string }).version
    } catch {}
  }
  return 'unknown'
}
