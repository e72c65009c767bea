import { z } from 'zod'
import type { Context } from '../../context.ts'
import { ownValue } from '../../own-value.ts'
import { type Connection, permanent, SendFailed } from '../platform.ts'
import { type ApiAnswer, failureOf, requestApi } from './request.ts'

const api = 'https://slack.com/api'
export const title = 'Slack'

/** Temporary Slack errors, which may be retried. */
const passing = [
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'ratelimited',
  'rate_limited',
]

const remedies: Readonly<Record<string, string>> = {
  invalid_auth: 'the token is wrong',
  not_authed: 'the token is missing',
  not_allowed_token_type: 'this is another kind of token; the app-level token starts with xapp-',
  account_inactive: 'the token belongs to a removed app; install the app again',
  token_revoked: 'the token was revoked; install the app again',
  token_expired: 'the token has expired; copy the new one',
  not_in_channel: 'invite the bot to the channel',
  channel_not_found: 'the channel does not exist, or the bot is not in it',
  missing_scope: 'the app lacks a scope; see the setup steps',
}

interface Parameters {
  json?: unknown
  form?: URLSearchParams
  /** Which token authorises the call. Default: that of the bot. */
  token?: 'app_token'
}

/** Calls a method of Slack's API. Rejects with `SendFailed`. */
export async function call(
  context: Context,
  { credentials }: Connection,
  method: string,
  { json, form, token }: Parameters,
): Promise<ApiAnswer> {
  const bearer = credentials[token ?? 'bot_token'] ?? ''
  if (bearer === '') throw permanent('The channel has no bot token')
  const request = json === undefined ? { body: form ?? new URLSearchParams() } : { json }
  const answer = await requestApi(context, `${api}/${method}`, { method: 'POST', bearer, ...request })
  const body = z.object({ ok: z.boolean(), error: z.string().optional() }).safeParse(answer.body).data
  if (answer.status === 200 && body?.ok) return answer
  const error = body?.error ?? ''
  if (answer.status !== 200 || error === '') {
    const failed = answer.status === 200 ? { ...answer, status: 502 } : answer
    throw failureOf(failed, { title, reason: error || undefined }, context.clock.now())
  }
  const which = token ? 'the app-level token' : 'the bot token'
  const remedy = ownValue(remedies, error)?.replace('the token', which)
  throw new SendFailed(`Slack refused the request: ${error}${remedy ? ` (${remedy})` : ''}`, {
    is_permanent: !passing.includes(error),
  })
}
