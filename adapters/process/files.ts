import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a private folder and the ones above it, one by one: Node's recursive `mkdir` never returns below a folder that
 * allows no new ones, such as /proc. Throws the errors of `mkdir`, and `ENOTDIR` for a link that leads to no folder.
 */
export function createFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw Object.assign(new Error(`ENOTDIR: ${path} is a link, but not to a folder`), { code: 'ENOTDIR' })
  if (dirname(path) !== path) createFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** Whether a system error has one of these codes, such as `ENOENT`. */
export const isCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

/** Replaces a file, readable by its owner only, in one step. */
export function writePrivate(path: string, text: string): void {
  rmSync(`${path}.new`, { force: true })
  writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true })
  renameSync(`${path}.new`, path)
}

export const writeJson = (path: string, value: unknown): void => writePrivate(path, `${JSON.stringify(value)}\n`)

/** Null if there is no such file, or if it is incomplete. */
export function readJson<Value>(path: string): Value | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Value
  } catch {
    return null
  }
}

/** Runs something with an open file, which is closed again. */
export function withFile<Result>(path: string, flags: string | number, run: (file: number) => Result): Result {
  const file = openSync(path, flags, 0o600)
  try {
    return run(file)
  } finally {
    closeSync(file)
  }
}
