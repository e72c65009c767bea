import { writeFileSync } from 'node:fs'
import '../../../adapters/process/end-with-parent.ts'

/** Writes its pid and then blocks its thread, as a native call does. */
process.once('message', ({ report }: { report: string }) => {
  writeFileSync(report, String(process.pid))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
