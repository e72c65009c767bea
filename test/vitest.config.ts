import { defineConfig } from 'vitest/config'

/** Generous limits: they end what hangs; no test asserts a time, and some machines are slow. */
const seconds = 1_000

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60 * seconds,
    hookTimeout: 120 * seconds,
    maxWorkers: 2,
    // No file leaves anything behind in its process: there are no globals. Loading everything anew for each took half the time.
    isolate: false,
    // Real browsers, processes and kills on a busy machine: what fails twice has failed.
    retry: 1,
  },
})
