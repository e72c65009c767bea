import { z } from 'zod'
import type { Context } from '../../context.ts'
import type { Connection, SendFailed } from '../platform.ts'
import { type ApiAnswer, type ApiRequest, failureOf, requestApi } from './request.ts'

export const title = 'Telegram'

/** Where the methods and files of the channel's bot are: at Telegram, or at a server of one's own. */
export const serverOf = ({ credentials: { api_url, bot_token = '' } }: Connection) => {
  const origin = (api_url || 'https://api.telegram.org').replace(/\/$/, '')
  return { methods: `${origin}/bot${bot_token}`, files: `${origin}/file/bot${bot_token}` }
}

/** Calls a method of Telegram's Bot API. Rejects with `SendFailed`. */
export async function call(context: Context, connection: Connection, method: string, request: ApiRequest = {}) {
  const answer = await requestApi(context, `${serverOf(connection).methods}/${method}`, request)
  const { ok, result } = Answer.safeParse(answer.body).data ?? {}
  if (answer.status === 200 && ok) return result
  throw failure(answer, context)
}

const Answer = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  description: z.string().optional(),
  parameters: z.object({ retry_after: z.number().optional() }).optional(),
})

function failure(answer: ApiAnswer, context: Context): SendFailed {
  const body = Answer.safeParse(answer.body).data
  const refusal = {
    title,
    reason: body?.description?.slice(0, 500),
    retry_after_seconds: body?.parameters?.retry_after,
  }
  return failureOf(answer, refusal, context.clock.now())
}
