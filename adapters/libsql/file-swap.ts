import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { unpackFiles } from './archive-extraction.ts'
import { archiveOf, roots, statOf } from './backup-archive.ts'

/** Where a restore extracts files before they replace those of the data folder. */
export const freshFiles = (data_dir: string) => join(data_dir, 'files.restoring')

/** The files of a restore that is being rolled back. */
export const undoneFiles = (data_dir: string) => join(data_dir, 'files.undone')

/**
 * Verifies and extracts the files of a backup next to those of the data folder; false if it has none. `onStep` is called
 * for each piece.
 */
export function stageFiles(data_dir: string, backup: string, onStep: () => void = () => undefined): boolean {
  const fresh = freshFiles(data_dir)
  rmSync(fresh, { recursive: true, force: true })
  const pieces = archiveOf(backup)
  if (!pieces) return false
  try {
    for (const root of roots) {
      mkdirSync(join(fresh, root), { recursive: true, mode: 0o700 })
      requireSameDisk(data_dir, root)
    }
    const watched = pieces.map((piece) => {
      onStep()
      return piece
    })
    unpackFiles(watched, fresh)
  } catch (thrown) {
    rmSync(fresh, { recursive: true, force: true })
    throw new Error(`The files of ${basename(backup)} cannot be restored: ${(thrown as Error).message}`)
  }
  return true
}

/** Folders are replaced by renaming them, which a mount point refuses. */
function requireSameDisk(data_dir: string, root: string): void {
  const path = join(data_dir, root)
  const stat = statOf(path)
  if (!stat || (stat.isDirectory() && stat.dev === statSync(data_dir).dev)) return
  throw new Error(`${path} is on another disk; restore without files and extract them from the backup there`)
}

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
