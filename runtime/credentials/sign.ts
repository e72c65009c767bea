import { conflict } from '../fault.ts'
import { isStream } from '../outbound/redirects.ts'
import { toPaddedBase64 } from '../secrets/signatures.ts'
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
  }
}

const basic = (username: string, password: string): string =>
  `Basic ${toPaddedBase64(new TextEncoder().encode(`${username}:${password}`))}`

async function signBody({ headers, body }: Outgoing, { fields, now }: { fields: FieldsOf<'hmac'>; now: number }) {
  if (isStream(body) || body instanceof FormData) throw conflict('A streamed body cannot be signed; send it as text')
  const content = new Uint8Array(await new Response(body).arrayBuffer())
  const timestamp = fields.timestamp_header ? String(Math.floor(now / second)) : ''
  if (fields.timestamp_header) headers.set(fields.timestamp_header, timestamp)
  headers.set(fields.header, await signature(fields, content, timestamp))
}
