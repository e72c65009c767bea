import { z } from 'zod'
import type { Context } from '../../context.ts'
import type { Connection, SendFailed } from '../platform.ts'
import { type ApiAnswer, type ApiRequest, failureOf, requestApi } from './request.ts'

export const api = 'https://discord.com/api/v10'
export const title = 'Discord'

/** Calls Discord's API as the bot. Rejects with `SendFailed`. */
export async function call(
  context: Context,
  { credentials }: Connection,
  path: string,
  request: ApiRequest,
): Promise<unknown> {
  const authorization = `Bot ${credentials.bot_token}`
  const answer = await requestApi(context, `${api}${path}`, { ...request, headers: { authorization } })
  if (answer.status >= 200 && answer.status < 300) return answer.body
  throw failure(answer, context)
}

const Failure = z.object({
  message: z.string(),
  code: z.number().optional(),
  retry_after: z.number().optional(),
})

export function failure(answer: ApiAnswer, context: Context): SendFailed {
  const body = Failure.safeParse(answer.body).data
  const missing = body?.code === 50_001 ? '; add the bot to the channel' : ''
  return failureOf(
    answer,
    {
      title,
      reason: body && `${body.message.slice(0, 300)}${missing}`,
      retry_after_seconds: body?.retry_after === undefined ? undefined : Math.ceil(body.retry_after),
    },
    context.clock.now(),
  )
}
