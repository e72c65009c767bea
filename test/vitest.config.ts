import { defineConfig } from 'vitest/config'

/** Generous limits: they end what hangs; no test asserts a time, and some machines are slow. */
const seconds = 1_000

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 180 * seconds,
    expect: { poll: { timeout: 60 * seconds } },
    hookTimeout: 240 * seconds,
    maxWorkers: 2,
    // There are no globals, and after-file.ts ends what a file has started. Loading everything anew for each took half the time.
    isolate: false,
    setupFiles: ['test/support/after-file.ts'],
    // Real browsers, processes and kills on a busy machine: what fails twice has failed.
    retry: 1,
  },
})
