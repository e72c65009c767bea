import type { Models } from '../../runtime/ports/models.ts'
import type { ModelHost } from './host.ts'
import { listModels } from './list.ts'
import { streamAnswer } from './stream.ts'

export type { ModelHost } from './host.ts'
export type { Fetch } from './line.ts'

/** The models of the eight vendors, each spoken to through its provider package. Keeps no key. */
export function createModels(host: ModelHost): Models {
  return {
    stream: (call) => streamAnswer(host, call),
    list: (access) => listModels(host, access),
  }
}
