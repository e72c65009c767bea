import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Runs all tests, then once more the files that failed, each from its beginning: real browsers, processes and kills meet
 * a busy machine, and a test that is repeated alone would find what its first attempt left behind. What fails twice has
 * failed. Arguments go to vitest.
 */

interface Outcome {
  status: number
  failed: string[]
}

function run(names: string[], report: string): Outcome {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts']
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { status } = spawnSync(process.execPath, [...vitest, ...reporters, ...names], { stdio: 'inherit' })
  return { status: status ?? 1, failed: status === 0 ? [] : failedFiles(report) }
}

/** Empty if vitest itself failed, which no second run mends. */
function failedFiles(report: string): string[] {
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
      testResults: { name: string; status: string }[]
    }
    return testResults.filter(({ status }) => status === 'failed').map(({ name }) => name)
  } catch {
    return []
  }
}

const folder = mkdtempSync(join(tmpdir(), 'hearthd-tests-'))
const first = run(process.argv.slice(2), join(folder, 'first.json'))
let { status } = first
if (first.failed.length > 0) {
  console.log(`\nOnce more, each from its beginning:\n${first.failed.map((name) => `  ${name}`).join('\n')}`)
  status = run(first.failed, join(folder, 'second.json')).status
}
rmSync(folder, { recursive: true })
process.exit(status)
