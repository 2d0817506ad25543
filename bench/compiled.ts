import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder of package.json, both from the sources and from what they were compiled to. */
export const ROOT = rootAbove(import.meta.dirname)

/** A compiled file of the benchmarks, by its path in dist/bench: what another process runs. */
export function compiled(path: string): string {
  return join(ROOT, 'dist', 'bench', path)
}

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder))
}
