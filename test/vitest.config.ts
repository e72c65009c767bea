import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { fastTests } from './fast.ts'
import { boundedForks } from './worker-pool.ts'

/** Generous limits: they end what hangs; no test asserts a time, and some machines are slow. */
const seconds = 1_000

/** Longest first. They start before all others, so that none of them runs alone at the end. */
const longest = [
  'faults/fuzz',
  'faults/fuzz-reads',
  'web/looks',
  'web/memory',
  'faults/scheduler-kill',
  'web/browser-page',
  'adapters/docker/docker',
  'web/scheduler',
  'faults/kill-chat',
  'web/workflows',
  'web/chat-looks',
  'web/shell',
  'adapters/browser/pages',
  'faults/lost-parts',
  'web/chat',
  'web/loops',
  'adapters/browser/guard',
  'web/settings',
  'web/costs',
  'adapters/browser/acts',
].map((name) => `/test/${name}.test.ts`)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((name) => moduleId.endsWith(name))
      return place < 0 ? longest.length : place
    }
    return (await super.sort(files)).toSorted((left, right) => rank(left) - rank(right))
  }
}

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: process.env.FAST ? fastTests() : ['test/**/*.test.ts'],
    testTimeout: 180 * seconds,
    expect: { poll: { timeout: 60 * seconds } },
    hookTimeout: 240 * seconds,
    // One more than there are processors: browsers and daemons often have the tests wait.
    maxWorkers: availableParallelism() + 1,
    pool: boundedForks,
    // There are no globals, and after-file.ts ends what a file has started. Loading everything again for each took half the time.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    setupFiles: ['test/support/after-file.ts'],
  },
})
