import { parentPort } from 'node:worker_threads'
import variant from '@jitl/quickjs-ng-wasmfile-release-sync'
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSSyncVariant } from 'quickjs-emscripten-core'
import { ScriptEngine, type ScriptJob, type ScriptOutcome } from '../../runtime/sandbox/script-engine.ts'
import { errorMessage } from '../../runtime/thrown.ts'

/** Message to the main thread. `started` comes before the outcome: loading does not count as time of the code. */
export type ThreadMessage = { started: true } | { outcome: ScriptOutcome } | { error: string }

const pageBytes = 65_536

const engine = new ScriptEngine(
  (max_bytes) => {
    const wasmMemory = new WebAssembly.Memory({ initial: 256, maximum: max_bytes / pageBytes })
    // The package's types are those of its CommonJS build.
    return newQuickJSWASMModuleFromVariant(
      newVariant(variant as unknown as QuickJSSyncVariant, { wasmMemory }),
    )
  },
  () => performance.now(),
)

parentPort?.on('message', async (job: ScriptJob) => {
  try {
    await engine.prepare(job)
    send({ started: true })
    send({ outcome: await engine.run(job) })
  } catch (thrown) {
    send({ error: errorMessage(thrown) })
  }
  await engine.prepare().catch(() => undefined)
})

const send = (message: ThreadMessage) => parentPort?.postMessage(message)
