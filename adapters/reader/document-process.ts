import { getPriority, setPriority } from 'node:os'
import { errorMessage } from '../../runtime/thrown.ts'
import '../process/end-with-parent.ts'
import { DocumentError } from '../../runtime/documents/document.ts'
import { documentText } from '../../runtime/documents/text.ts'
import type { DocumentCall } from '../../runtime/ports/reader.ts'
import type { DocumentAnswer } from './reader.ts'

const lowPriority = 4

/** The process of one document. Requests come first on a busy machine. */
setPriority(Math.max(getPriority(), lowPriority))
process.once('message', async (call: DocumentCall) => process.send?.(await read(call)))

async function read(call: DocumentCall): Promise<DocumentAnswer> {
  try {
    return { document: await documentText({ ...call, pause: async () => undefined }) }
  } catch (thrown) {
    const message = errorMessage(thrown)
    return thrown instanceof DocumentError ? { refused: message } : { error: message }
  }
}
