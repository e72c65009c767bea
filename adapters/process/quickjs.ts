import variant from '@jitl/quickjs-ng-wasmfile-release-sync'
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSSyncVariant } from 'quickjs-emscripten-core'

const pageBytes = 65_536

/** An instance of QuickJS whose memory grows to at most `max_bytes`. */
export function loadQuickJs(max_bytes: number) {
  const wasmMemory = new WebAssembly.Memory({ initial: 256, maximum: max_bytes / pageBytes })
  // The package's types are those of its CommonJS build.
  return newQuickJSWASMModuleFromVariant(newVariant(variant as unknown as QuickJSSyncVariant, { wasmMemory }))
}
