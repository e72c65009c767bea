import type { QuickJSSyncVariant } from 'quickjs-emscripten-core'
import type { Script } from '../../runtime/ports/script.ts'
import { jobOf, resultOf, ScriptEngine } from '../../runtime/sandbox/script-engine.ts'

/**
 * The engine on the event loop, for tests and embedders with trusted authors: it cannot end code that stays in native
 * functions of the engine.
 */
export function createScript(): Script {
  const engine = new ScriptEngine(
    async () => {
      const { newQuickJSWASMModuleFromVariant } = await import('quickjs-emscripten-core')
      const { default: variant } = await import('@jitl/quickjs-ng-wasmfile-release-sync')
      // The package's types are those of its CommonJS build.
      return newQuickJSWASMModuleFromVariant(variant as unknown as QuickJSSyncVariant)
    },
    () => performance.now(),
  )
  let last: Promise<unknown> = Promise.resolve()
  return {
    async run(call, signal) {
      signal?.throwIfAborted()
      const running = last.then(async () => resultOf(await engine.run(jobOf(call))))
      last = running.catch(() => undefined)
      return running
    },
    close: async () => undefined,
  }
}
