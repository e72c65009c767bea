import { globSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Log } from '../../runtime/ports/log.ts'

const top = join(import.meta.dirname, '..', '..')

/**
 * Loads every area, a file at a time. A start waits for none of them and an idle daemon does without, but whoever comes
 * first to an area would hold up everybody else for as long as all of it takes, which is some 60 ms.
 * Resolves with how many files were loaded before it was done or stopped.
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
