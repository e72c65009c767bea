import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Runs all tests, then once more the files that failed, each from its beginning: real browsers, processes and kills meet
 * a busy machine, and a test that is repeated alone would find what its first attempt left behind. What fails twice has
 * failed, and so has a run with an error outside of all tests. Arguments go to vitest.
 */

interface Outcome {
  status: number
  /** Files to run once more. */
  failed: string[]
}

function run(names: string[], report: string): Outcome {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts']
  const { status } = spawnSync(process.execPath, [...vitest, ...reporters, ...names], {
    stdio: 'inherit',
    env: { ...process.env, FAILED_FILES: report },
  })
  return { status: status ?? 1, failed: status === 0 || !existsSync(report) ? [] : readPaths(report) }
}

const reporters = ['--reporter=default', '--reporter=./test/failed-files.ts']

const readPaths = (report: string): string[] => JSON.parse(readFileSync(report, 'utf8'))

const folder = mkdtempSync(join(tmpdir(), 'hearthd-tests-'))
const first = run(process.argv.slice(2), join(folder, 'first.json'))
let { status } = first
if (first.failed.length > 0) {
  console.log(`\nOnce more, each from its beginning:\n${first.failed.map((name) => `  ${name}`).join('\n')}`)
  status = run(first.failed, join(folder, 'second.json')).status
}
rmSync(folder, { recursive: true })
process.exit(status)
