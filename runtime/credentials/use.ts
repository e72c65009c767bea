import type { Context } from '../context.ts'
import { conflict, invalidField } from '../fault.ts'
import { isStream } from '../outbound/redirects.ts'
import { parseTarget } from '../outbound/targets.ts'
import { requireNamed, type StoredCredential } from './credentials.ts'
import { allows, hostsOf } from './hosts.ts'
import { accessToken } from './oauth.ts'
import { openFields } from './sealed.ts'
import { sign } from './sign.ts'

/**
 * Sends a request with a credential that the caller may use, by its id or name, through the guard. It is sent only to the hosts that the
 * credential allows; a redirect to another origin is followed without it.
 */
export async function fetchWith(
  context: Context,
  name: string,
  input: string | URL,
  init: RequestInit = {},
): Promise<Response> {
  return fetchAs(context, await requireNamed(context, name), input, init)
}

export async function fetchAs(
  context: Context,
  credential: StoredCredential,
  input: string | URL,
  init: RequestInit = {},
): Promise<Response> {
  const parsed = parseTarget(input)
  if (!parsed.ok) throw invalidField('url', parsed.reason)
  const { name } = credential
  if (!allows(credential, parsed.target))
    throw conflict(
      `The credential “${name}” is not for ${parsed.target.url.host}, only for ${hostsOf(credential).join(', ') || 'a database'}`,
    )
  const fields = await openFields(context, credential)
  const { url } = parsed.target
  const send = async (token?: string) => {
    const outgoing = { url: new URL(url), headers: new Headers(init.headers), body: init.body ?? null }
    await sign(outgoing, { now: context.clock.now(), fields, ...(token !== undefined && { token }) })
    return context.outbound.fetch(outgoing.url, { ...init, headers: outgoing.headers })
  }
  if (fields.kind !== 'oauth2') return send()
  const token = await accessToken(context, credential)
  const response = await send(token)
  if (response.status !== 401 || isStream(init.body)) return response
  await response.body?.cancel()
  return send(await accessToken(context, credential, token))
}

/** The secret of a credential, for what signs with it here. Never passed on. */
export async function secretOf(context: Context, name: string): Promise<string> {
  const fields = await openFields(context, await requireNamed(context, name))
  const secret = 'secret' in fields ? fields.secret : 'token' in fields ? fields.token : undefined
  if (!secret) throw conflict(`The credential “${name}” has no secret to sign with; choose one of the kind signature`)
  return secret
}

/** Text from a response without the secrets that are stored, for what keeps it. */
export const withoutSecrets = <Value>(context: Context, value: Value): Value =>
  context.process.redaction.ownValue(value)
