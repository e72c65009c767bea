import { askProcess } from '../../../adapters/process/ask.ts'

/** Asks a process that never answers. */
await askProcess({ module: new URL('./busy.ts', import.meta.url), question: { report: process.argv[2] } })
