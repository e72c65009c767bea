import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Area } from '../../runtime/area.ts'
import { loadOnce } from '../../runtime/load-once.ts'
import type { Log } from '../../runtime/ports/log.ts'

const top = join(import.meta.dirname, '..', '..')

/**
 * Loads every area in the background, one file at a time. Startup does not wait for them, but without this
 * the first request to an area would block all others for some 60 ms. Resolves with the number of files
 * loaded before it finished or was stopped.
 */
export async function warmUp(stopping: AbortSignal, log: Log): Promise<number> {
  const visited = new Set<string>()
  let loaded = 0
  try {
    for (const file of globSync('handlers/*/*.ts', { cwd: top })) {
      await loadStepwise(file, { stopping, visited })
      if (stopping.aborted) break
      loaded += 1
    }
    // Modules that the first message needs.
    await loadStepwise('runtime/chat/turn/turn.ts', { stopping, visited })
  } catch (cause) {
    log.write('warn', 'the areas could not be loaded ahead', { cause })
  }
  return loaded
}

/**
 * Loads a module and everything it imports, one file per iteration of the event loop: loading a large part of the
 * program at once blocks the event loop for up to a quarter of a second.
 */
export async function loadStepwise(
  file: string,
  { stopping, visited = new Set() }: { stopping?: AbortSignal; visited?: Set<string> } = {},
): Promise<void> {
  for await (const path of leavesFirst(join(top, file), visited)) {
    if (stopping?.aborted) return
    await import(pathToFileURL(path).href)
    await setImmediate()
  }
}

/**
 * The areas, with tools that load one area per iteration of the event loop. The first message needs the tools of all
 * areas, and loading them together blocks the event loop for some 60 ms.
 */
export function loadToolsInTurn(areas: readonly Area[]): readonly Area[] {
  let previous: Promise<unknown> = Promise.resolve()
  return areas.map((area) => {
    const { tools } = area
    if (!tools) return area
    const load = loadOnce(() => {
      const loaded = previous.then(() => setImmediate()).then(() => tools())
      previous = loaded.catch(() => undefined)
      return loaded
    })
    return { ...area, tools: load }
  })
}

/** Yields the imports of a file before the file, so that each import loads only one file. */
async function* leavesFirst(file: string, visited: Set<string>): AsyncGenerator<string> {
  if (visited.has(file)) return
  visited.add(file)
  for (const path of importsOf(await readFile(file, 'utf8'))) yield* leavesFirst(join(dirname(file), path), visited)
  yield file
}

/** The relative paths that a file imports at run time. */
function importsOf(source: string): string[] {
  let isType = false
  return source.split('\n').flatMap((line) => {
    if (/^(import|export) /.test(line)) isType = /^(import|export) type /.test(line)
    const [, path] = line.split(" from '")
    return !isType && path?.startsWith('.') && path.endsWith(".ts'") ? path.slice(0, -1) : []
  })
}
