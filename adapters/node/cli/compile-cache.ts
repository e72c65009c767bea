import { flushCompileCache } from 'node:module'

/** Writes the cache of compiled code after a while: a killed process would not, and a daemon rarely ends otherwise. */
export function keepCompiledCode(afterMilliseconds: number): void {
  setTimeout(flushCompileCache, afterMilliseconds).unref()
}
