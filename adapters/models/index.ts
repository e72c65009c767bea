import type { Models } from '../../runtime/ports/models.ts'
import type { ModelHost } from './connection.ts'
import { listModels } from './list.ts'
import { streamAnswer } from './stream.ts'
import { transcribe } from './transcribe.ts'

export type { Fetch, ModelHost } from './connection.ts'

/** Calls the models of all vendors through their provider packages. Stores no keys. */
export function createModels(host: ModelHost): Required<Models> {
  return {
    stream: (call) => streamAnswer(host, call),
    list: (access) => listModels(host, access),
    transcribe: (recording) => transcribe(host, recording),
  }
}
