import type { QuickJSSyncVariant } from 'quickjs-emscripten-core'
import type { Script } from '../../runtime/ports/script.ts'
import { jobOf, resultOf, ScriptEngine } from '../../runtime/sandbox/script-engine.ts'

const pageBytes = 65_536

/**
 * The engine on the event loop, for tests and embedders with trusted authors: it cannot end code that stays in native
 * functions of the engine.
 */
export function createScript(): Script {
  const engine = new ScriptEngine(
    async (max_bytes) => {
      const { newQuickJSWASMModuleFromVariant, newVariant } = await import('quickjs-emscripten-core')
      const { default: variant } = await import('@jitl/quickjs-ng-wasmfile-release-sync')
      const wasmMemory = new WebAssembly.Memory({ initial: 256, maximum: max_bytes / pageBytes })
      // The package's types are those of its CommonJS build.
      return newQuickJSWASMModuleFromVariant(
        newVariant(variant as unknown as QuickJSSyncVariant, { wasmMemory }),
      )
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
