// Tests in test/ start the program as a person would, so it is built before the first of them.

import { join } from 'node:path'
import { program } from './program.cjs'
import { setUp } from './set-up.cjs'

export default function buildOnce() {
  return setUp(join(import.meta.dirname, '..'), { steps: [program], say: () => {} })
}
