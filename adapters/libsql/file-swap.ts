import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { unpackFiles } from './archive-extraction.ts'
import { archiveOf, roots, statOf } from './backup-archive.ts'

/** Where a restore extracts files before they replace those of the data folder. */
export const freshFiles = (data_dir: string) => join(data_dir, 'files.restoring')

/** The files of a restore that is being rolled back. */
export const undoneFiles = (data_dir: string) => join(data_dir, 'files.undone')

/** Verifies and extracts the files of a backup next to those of the data folder; false if it has none. */
export function stageFiles(data_dir: string, backup: string): boolean {
  const fresh = freshFiles(data_dir)
  rmSync(fresh, { recursive: true, force: true })
  const pieces = archiveOf(backup)
  if (!pieces) return false
  try {
    for (const root of roots) mkdirSync(join(fresh, root), { recursive: true, mode: 0o700 })
    unpackFiles(pieces, fresh)
  } catch (thrown) {
    rmSync(fresh, { recursive: true, force: true })
    throw new Error(`The files of ${basename(backup)} cannot be restored: ${(thrown as Error).message}`)
  }
  return true
}

/** Throws unless the folders of files can be replaced by renaming them. */
export function requireReplaceable(data_dir: string): void {
  for (const root of roots) {
    const path = join(data_dir, root)
    const stat = statOf(path)
    if (!stat) continue
    const problem = !stat.isDirectory()
      ? `${path} is not a folder`
      : stat.dev !== statSync(data_dir).dev
        ? `${path} is on another disk`
        : mountsIn(mountTable(), realpathSync(path))
            .map((mount) => `${mount} is a mount point`)
            .at(0)
    if (problem)
      throw new Error(
        `The files cannot be replaced: ${problem}. Restore without files and extract them from the backup there`,
      )
  }
}

/** Linux only: elsewhere a mount point is always on another disk. */
function mountTable(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return ''
  }
}

/** The mount points at or below a folder, from a table in the format of `/proc/self/mountinfo`. */
export const mountsIn = (table: string, folder: string): string[] =>
  table
    .split('\n')
    .map((line) => unescapeMount(line.split(' ')[4] ?? ''))
    .filter((mount) => mount === folder || mount.startsWith(`${folder}/`))

/** The table writes a space as `\040`. */
const unescapeMount = (path: string) =>
  path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

/** Replaces the files with the staged ones and moves the old ones to `kept`. May be repeated after a kill. */
export function swapFiles(data_dir: string, kept: string): void {
  const fresh = freshFiles(data_dir)
  for (const root of roots) {
    if (!existsSync(join(fresh, root))) continue
    const live = join(data_dir, root)
    mkdirSync(kept, { recursive: true, mode: 0o700 })
    if (!existsSync(join(kept, root))) {
      mkdirSync(live, { recursive: true, mode: 0o700 })
      renameSync(live, join(kept, root))
    }
    renameSync(join(fresh, root), live)
  }
  rmSync(fresh, { recursive: true, force: true })
}

/** Moves the files that a restore replaced back, and its own to `undoneFiles`. May be repeated after a kill. */
export function undoSwap(data_dir: string, kept: string): void {
  const undone = undoneFiles(data_dir)
  for (const root of roots) {
    if (!existsSync(join(kept, root))) continue
    mkdirSync(undone, { recursive: true, mode: 0o700 })
    rmSync(join(undone, root), { recursive: true, force: true })
    if (existsSync(join(data_dir, root))) renameSync(join(data_dir, root), join(undone, root))
    renameSync(join(kept, root), join(data_dir, root))
  }
  rmSync(kept, { recursive: true, force: true })
}
