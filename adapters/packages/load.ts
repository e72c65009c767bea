import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { PackageError } from '../../runtime/ports/packages.ts'

const run = promisify(execFile)
/** Milliseconds. */
const limit = 60_000

/** Loads a package of a folder, in a process of its own. Throws `PackageError` when it cannot be loaded. */
export async function load(folder: string, name: string, signal: AbortSignal): Promise<void> {
  const script = `await import(${JSON.stringify(name)})`
  const { PATH, HOME } = process.env
  const options = { cwd: folder, env: { PATH, HOME }, timeout: limit, signal, windowsHide: true }
  try {
    await run(process.execPath, ['--input-type=module', '--eval', script], options)
  } catch {
    signal.throwIfAborted()
    throw new PackageError(`${name} was installed, but cannot be loaded here`)
  }
}
