import { z } from 'zod'
import type { Context } from '../context.ts'
import { findCall, findRequest, type PromptSizes } from '../ledger/request-store.ts'
import { ModelCallRow } from '../ledger/schema.ts'
import { required } from '../required.ts'

const tokens = z.int()

export const ModelCallDetails = ModelCallRow.extend({
  request: z
    .object({
      tokens: z.object({ system: tokens, tools: tokens, memory: tokens, history: tokens, attachments: tokens }).meta({
        description: 'The input tokens by what they were for, in proportion to the characters of each part',
      }),
      body: z.unknown().meta({
        description:
          'The JSON that was sent, without secrets and the content of files; null if it was too large to be kept',
      }),
    })
    .nullable()
    .meta({ description: 'Null if nothing was sent, or it is no longer kept' }),
})
export type ModelCallDetails = z.output<typeof ModelCallDetails>

const requireCall = required('model call', findCall)

/** A call with what was sent. */
export async function showCall(context: Context, id: string): Promise<ModelCallDetails> {
  const call = await requireCall(context, id)
  const request = await findRequest(context, id)
  if (!request) return { ...call, request: null }
  const { sizes, body } = request
  const shown = body === null ? null : context.process.redaction.value(JSON.parse(body) as unknown)
  return { ...call, request: { tokens: tokensOf(sizes, call.input_tokens), body: shown } }
}

/** About four characters are a token; what the vendor has counted is shared out in proportion. */
function tokensOf(sizes: PromptSizes, counted: number): PromptSizes {
  const characters = Object.values(sizes).reduce((sum, size) => sum + size, 0)
  const total = counted || Math.ceil(characters / 4)
  const share = (size: number) => (characters === 0 ? 0 : Math.round((size / characters) * total))
  const { system, tools, memory, attachments } = sizes
  const others = {
    system: share(system),
    tools: share(tools),
    memory: share(memory),
    attachments: share(attachments),
  }
  const history = total - others.system - others.tools - others.memory - others.attachments
  return { ...others, history: Math.max(0, history) }
}
