import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importsOf, resolveImport } from './architecture/imports.ts'

const top = join(import.meta.dirname, '..')

/** Packages that start a browser, a process or another runtime. */
const starters = new Set(['node:child_process', 'playwright', 'miniflare', '@sparticuz/chromium'])

/** Folders whose tests run a real browser, kill processes or take long by design. */
const slowFolders = ['test/web', 'test/faults', 'test/cli', 'test/hosts', 'test/adapters']

/** Files whose imports count; the daemon of `adapters/node` loads what starts something when it is used. */
const isFollowed = (file: string) => /^(?:test|adapters\/(?!node\/)).*\.ts$/.test(file)

/** The test files that start nothing: what a contributor runs while working. */
export function fastTests(): string[] {
  const isSlow = new Map<string, boolean>()
  const startsSomething = (file: string): boolean => {
    const known = isSlow.get(file)
    if (known !== undefined) return known
    isSlow.set(file, false)
    // A path inside a text, such as a planted import.
    if (!existsSync(join(top, file))) return false
    const targets = importsOf(file, readFileSync(join(top, file), 'utf8')).map(resolveImport)
    const slow = targets.some((target) => starters.has(target) || (isFollowed(target) && startsSomething(target)))
    isSlow.set(file, slow)
    return slow
  }
  return globSync('test/**/*.test.ts', { cwd: top })
    .filter((file) => !slowFolders.some((folder) => file.startsWith(`${folder}/`)))
    .filter((file) => !startsSomething(file))
}
