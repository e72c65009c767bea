import { parentPort, workerData } from 'node:worker_threads'
import { DocumentError } from '../../runtime/files/documents/document.ts'
import { documentText } from '../../runtime/files/documents/text.ts'
import { lowerPriority } from './priority.ts'
import type { DocumentAnswer } from './reader.ts'

/** The thread of one document. */
lowerPriority()
parentPort?.postMessage(await read())

async function read(): Promise<DocumentAnswer> {
  try {
    return { found: await documentText({ ...workerData, pause: async () => undefined }) }
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    return thrown instanceof DocumentError ? { refused: message } : { error: message }
  }
}
