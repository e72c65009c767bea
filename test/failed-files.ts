import { writeFileSync } from 'node:fs'
import type { Reporter } from 'vitest/node'

/**
 * Writes the paths of the files that failed to the file that FAILED_FILES names. None after an error outside of all tests,
 * such as a rejection that nobody handled: no second run mends it.
 */
export default class FailedFiles implements Reporter {
  readonly onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (modules, errors) => {
    const failed = modules.filter((module) => !['passed', 'skipped'].includes(module.state()))
    const paths = errors.length > 0 ? [] : failed.map(({ moduleId }) => moduleId)
    if (process.env.FAILED_FILES) writeFileSync(process.env.FAILED_FILES, JSON.stringify(paths))
  }
}
