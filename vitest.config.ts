import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/longest-first.ts'

export default defineConfig({
  test: {
    // Processes rather than threads: native modules such as DuckDB are not at home in several threads of one process.
    pool: 'forks',
    // Files that share a process load the program once. No test changes what another file could see.
    isolate: false,
    // One more than processors: some tests wait for time to pass.
    maxWorkers: Math.min(availableParallelism() + 1, 4),
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ['minimal', 'json'],
    outputFile: { json: '.tmp/vitest.json' },
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['server/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/**/*.test.ts'] },
      },
      {
        extends: true,
        test: { name: 'end-to-end', include: ['test/**/*.test.ts'], globalSetup: 'scripts/build-once.mjs' },
      },
    ],
  },
})
