import type { Script } from '../../runtime/ports/script.ts'
import { ScriptEngine } from '../../runtime/sandbox/script-engine.ts'
import { answerWith, jobOf, resultOf } from '../../runtime/sandbox/script-job.ts'
import { scriptNatives } from '../process/script-natives.ts'

/**
 * The engine on the event loop, for tests and embedders with trusted authors: it cannot end code that stays in native
 * functions of the engine.
 */
export function createScript(): Script {
  let libraries: Readonly<Record<string, string>> = {}
  const engine = new ScriptEngine(
    async (max_bytes) => {
      libraries = await (await import('../process/script-library.ts')).scriptLibraries()
      const { loadQuickJs } = await import('../process/quickjs.ts')
      return loadQuickJs(max_bytes)
    },
    () => performance.now(),
    (name) => libraries[name] ?? '',
    scriptNatives,
  )
  let last: Promise<unknown> = Promise.resolve()
  return {
    async run(call, signal) {
      signal?.throwIfAborted()
      const running = last.then(async () => resultOf(await engine.run(jobOf(call), answerWith(call))))
      last = running.catch(() => undefined)
      return running
    },
    close: async () => undefined,
  }
}
