import { accessSync, constants } from 'node:fs'
import { enableCompileCache, flushCompileCache } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

const modules = join(import.meta.dirname, '..', '..', '..', 'node_modules')

/** Keeps compiled code between starts, beside the packages that it is made of, else in a folder of this user. */
export function useCompileCache(): void {
  enableCompileCache(writable(modules) ? join(modules, '.cache', 'hearthd') : join(tmpdir(), `hearthd-${userInfo().uid}`))
}

/** A killed process writes nothing at its end, so a daemon writes when it has settled. */
export function keepCompiledCode(afterMilliseconds: number): void {
  setTimeout(flushCompileCache, afterMilliseconds).unref()
}

function writable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
