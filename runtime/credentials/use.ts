import type { Context } from '../context.ts'
import { conflict, invalidField } from '../fault.ts'
import { isStream } from '../outbound/redirects.ts'
import { parseTarget } from '../outbound/targets.ts'
import { toPaddedBase64 } from '../secrets/signatures.ts'
import { second } from '../time.ts'
import { requireNamed, type StoredCredential } from './credentials.ts'
import { allows, hostsOf } from './hosts.ts'
import type { Fields, FieldsOf } from './kinds.ts'
import { accessToken } from './oauth.ts'
import { openFields } from './sealed.ts'
import { signature } from './signature.ts'

interface Outgoing {
  url: URL
  headers: Headers
  body: BodyInit | null
}

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
      `The credential “${name}” is not for ${parsed.target.url.host}, only for ${hostsOf(credential).join(', ')}`,
    )
  const fields = await openFields(context, credential)
  const { url } = parsed.target
  const send = async (token?: string) => {
    const outgoing = { url: new URL(url), headers: new Headers(init.headers), body: init.body ?? null }
    await sign(context, outgoing, { fields, ...(token !== undefined && { token }) })
    return context.outbound.fetch(outgoing.url, { ...init, headers: outgoing.headers })
  }
  if (fields.kind !== 'oauth2') return send()
  const token = await accessToken(context, credential)
  const response = await send(token)
  if (response.status !== 401 || isStream(init.body)) return response
  await response.body?.cancel()
  return send(await accessToken(context, credential, token))
}

interface Signing {
  fields: Fields
  /** Of OAuth 2. */
  token?: string
}

/** Adds the credential to a request. */
async function sign(context: Context, outgoing: Outgoing, { fields, token }: Signing): Promise<void> {
  const { headers, url } = outgoing
  switch (fields.kind) {
    case 'header':
      return headers.set(fields.name, fields.secret ?? '')
    case 'query':
      return url.searchParams.set(fields.name, fields.secret ?? '')
    case 'basic':
      return headers.set('authorization', basic(fields.username, fields.password ?? ''))
    case 'bearer':
      return headers.set('authorization', `Bearer ${fields.token ?? ''}`)
    case 'oauth2':
      return headers.set('authorization', `Bearer ${token ?? ''}`)
    case 'hmac':
      return signBody(context, outgoing, fields)
  }
}

const basic = (username: string, password: string): string =>
  `Basic ${toPaddedBase64(new TextEncoder().encode(`${username}:${password}`))}`

async function signBody({ clock }: Context, { headers, body }: Outgoing, fields: FieldsOf<'hmac'>) {
  if (isStream(body) || body instanceof FormData) throw conflict('A streamed body cannot be signed; send it as text')
  const content = new Uint8Array(await new Response(body).arrayBuffer())
  const timestamp = fields.timestamp_header ? String(Math.floor(clock.now() / second)) : ''
  if (fields.timestamp_header) headers.set(fields.timestamp_header, timestamp)
  headers.set(fields.header, await signature(fields, content, timestamp))
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
