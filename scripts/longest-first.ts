import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take over half a minute. Begun last, they would leave all workers but one with nothing to do. */
const LONGEST = ['server/storage/duckdb/duckdb-store.test.ts', 'server/storage/duckdb/rolled-figures.test.ts']

/** A fresh clone does not know how long tests take, and vitest would go by the size of their files. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONGEST.findIndex((path) => moduleId.endsWith(path))
      return rank < 0 ? LONGEST.length : rank
    }
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}
