import { conflict } from '../fault.ts'
import { isStream } from '../outbound/redirects.ts'
import { signStandard, toPaddedBase64 } from '../secrets/signatures.ts'
import { second } from '../time.ts'
import type { Fields, FieldsOf } from './kinds.ts'
import { signature } from './signature.ts'

interface Outgoing {
  url: URL
  headers: Headers
  body: BodyInit | null
}

interface Signing {
  fields: Fields
  /** Of OAuth 2. */
  token?: string
  /** Milliseconds since the epoch, of a signature with a time. */
  now: number
}

/** Adds the credential to a request. */
export async function sign(outgoing: Outgoing, { fields, token, now }: Signing): Promise<void> {
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
      return signBody(outgoing, { fields, now })
    case 'standard':
      return signMessage(outgoing, { fields, now })
    case 'database':
      throw conflict('A credential of a database signs no requests')
  }
}

const basic = (username: string, password: string): string =>
  `Basic ${toPaddedBase64(new TextEncoder().encode(`${username}:${password}`))}`

async function signable(body: Outgoing['body']): Promise<Uint8Array> {
  if (isStream(body) || body instanceof FormData) throw conflict('A streamed body cannot be signed; send it as text')
  return new Uint8Array(await new Response(body).arrayBuffer())
}

async function signMessage(
  { headers, body }: Outgoing,
  { fields, now }: { fields: FieldsOf<'standard'>; now: number },
) {
  const message = { id: `msg_${crypto.randomUUID()}`, timestamp: Math.floor(now / second), body: await signable(body) }
  for (const [name, value] of Object.entries(await signStandard([fields.secret ?? ''], message)))
    headers.set(name.replace('webhook', fields.headers), value)
}

async function signBody({ headers, body }: Outgoing, { fields, now }: { fields: FieldsOf<'hmac'>; now: number }) {
  const content = await signable(body)
  const timestamp = fields.timestamp_header ? String(Math.floor(now / second)) : ''
  if (fields.timestamp_header) headers.set(fields.timestamp_header, timestamp)
  headers.set(fields.header, await signature(fields, content, timestamp))
}
