// Tests in test/ start the program as a person would, some with the load of the benchmarks: both are built before the first.

import { join } from 'node:path'
import { benchmarks, program } from './program.cjs'
import { setUp } from './set-up.cjs'

export default function buildOnce() {
  return setUp(join(import.meta.dirname, '..'), { steps: [program, benchmarks], say: () => {} })
}
