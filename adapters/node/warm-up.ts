import { globSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Log } from '../../runtime/ports/log.ts'

const top = join(import.meta.dirname, '..', '..')

/**
 * Loads every area in the background, one file at a time. Startup does not wait for them, but without this
 * the first request to an area would block all others for some 60 ms. Resolves with the number of files
 * loaded before it finished or was stopped.
 */
export async function warmUp(stopping: AbortSignal, log: Log): Promise<number> {
  let loaded = 0
  try {
    for (const file of globSync('handlers/*/*.ts', { cwd: top })) {
      if (stopping.aborted) break
      await import(pathToFileURL(join(top, file)).href)
      loaded += 1
      await setImmediate()
    }
  } catch (cause) {
    log.write('warn', 'the areas could not be loaded ahead', { cause })
  }
  return loaded
}
