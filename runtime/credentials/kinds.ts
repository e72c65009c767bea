import { z } from 'zod'
import { databaseAddress, passwordApart } from '../databases/address.ts'
import { survivesRedirect } from '../outbound/redirects.ts'
import { reference } from '../references.ts'

/** Of names and other parts that are no secret. */
const Text = (title: string, max = 500) => z.string().trim().max(max).meta({ title })
const Needed = (title: string, max = 500) => z.string().trim().min(1).max(max).meta({ title })

/** Absent in a change: the stored one stays. The checks for a new credential are in `missingSecrets`. */
const Secret = (title: string, max = 4_000) =>
  z
    .string()
    .max(max)
    .optional()
    .meta({ title, format: 'secret', labels: { null: '' } })

const Url = (title: string) =>
  z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .meta({ title })

const HeaderName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'must be the name of a header')
  .refine(
    (name) => !survivesRedirect(name) && !/^(host|content-length|transfer-encoding|connection)$/i.test(name),
    'must not be a header that describes the request',
  )

const Header = z.object({
  kind: z.literal('header'),
  name: HeaderName.default('X-API-Key').meta({ title: 'Name of the header' }),
  secret: Secret('Value'),
})
const Query = z.object({
  kind: z.literal('query'),
  name: Needed('Name of the parameter', 100),
  secret: Secret('Value'),
})
const Basic = z.object({
  kind: z.literal('basic'),
  username: Text('User name'),
  password: Secret('Password'),
})
const Bearer = z.object({ kind: z.literal('bearer'), token: Secret('Token', 8_000) })
const OAuth2 = z.object({
  kind: z.literal('oauth2'),
  grant: z
    .enum(['authorization_code', 'client_credentials'])
    .default('authorization_code')
    .meta({
      title: 'Authorization',
      labels: {
        authorization_code: 'A person agrees on the page of the service',
        client_credentials: 'With the client ID and secret alone',
      },
    }),
  authorization_url: Url('Address of the page of the service').optional(),
  token_url: Url('Address of the token endpoint'),
  client_id: reference('elsewhere', 1_000).trim().min(1).meta({ title: 'Client ID' }),
  client_secret: Secret('Client secret'),
  scope: Text('Scopes', 2_000)
    .default('')
    .meta({ title: 'Scopes', description: 'Separated as the service says, usually by spaces' }),
  client_authentication: z
    .enum(['body', 'header'])
    .default('body')
    .meta({
      title: 'The client secret is sent',
      labels: { body: 'In the body', header: 'As basic authentication' },
    }),
  parameters: z
    .record(z.string().max(100), z.string().max(1_000))
    .default({})
    .meta({ title: 'Further parameters of the page', description: 'Such as access_type: offline' }),
})
const Hmac = z.object({
  kind: z.literal('hmac'),
  secret: Secret('Secret'),
  algorithm: z.enum(['SHA-1', 'SHA-256', 'SHA-512']).default('SHA-256').meta({ title: 'Algorithm' }),
  header: HeaderName.default('X-Signature').meta({ title: 'Header of the signature' }),
  encoding: z.enum(['hex', 'base64']).default('hex').meta({ title: 'Encoding' }),
  prefix: z.string().max(50).default('').meta({ title: 'Text before the signature', description: 'Such as sha256=' }),
  timestamp_header: HeaderName.or(z.literal('')).default('').meta({
    title: 'Header of the time',
    description: 'If it is set, the Unix time and a dot precede the signed body',
  }),
})
const Standard = z.object({
  kind: z.literal('standard'),
  secret: Secret('Secret'),
  headers: z
    .enum(['webhook', 'svix'])
    .default('webhook')
    .meta({
      title: 'Headers that are sent',
      description: 'Both are accepted',
      labels: { webhook: 'webhook-id, webhook-timestamp, webhook-signature', svix: 'svix-id and so on' },
    }),
})
const DatabaseUrl = z
  .string()
  .trim()
  .max(2_000)
  .superRefine((text, refinement) => {
    const address = databaseAddress(text)
    if (typeof address === 'string') refinement.addIssue({ code: 'custom', message: address })
  })
const Database = z.object({
  kind: z.literal('database'),
  url: DatabaseUrl.meta({
    title: 'Address',
    description:
      'Such as postgres://user@db.example.com:5432/shop, mysql://…, redis://… or sqlite:///srv/shop.db. Servers outside your network must encrypt with a trusted certificate, unless the address ends with ?sslmode=require, which skips the check, or ?sslmode=disable',
    format: 'line',
  }),
  password: Secret('Password'),
})
export const Fields = z
  .discriminatedUnion('kind', [Header, Query, Basic, Bearer, OAuth2, Hmac, Standard, Database])
  .meta({
    title: 'Kind',
    labels: {
      header: 'Header',
      query: 'Query parameter',
      basic: 'User name and password',
      bearer: 'Bearer token',
      oauth2: 'OAuth 2',
      hmac: 'Signature (HMAC)',
      standard: 'Signature (Standard Webhooks, Svix)',
      database: 'Database',
    },
  })
export type Fields = z.output<typeof Fields>
export type FieldsOf<Kind extends Fields['kind']> = Extract<Fields, { kind: Kind }>

export const Kind = z.enum(['header', 'query', 'basic', 'bearer', 'oauth2', 'hmac', 'standard', 'database'])

const secretNames = ['secret', 'password', 'token', 'client_secret']
/** Kinds that can be complete without the secret. */
const optionalSecrets: readonly Fields['kind'][] = ['oauth2', 'database']

/** The fields with the password of an address apart. */
export function tidied(fields: Fields): Fields {
  if (fields.kind !== 'database') return fields
  const { url, password } = passwordApart(fields.url)
  return { ...fields, url, ...(password && { password }) }
}

const ending = (secret: string): string => (secret.length < 12 ? '…' : `…${secret.slice(-4)}`)

/** The fields as they are shown: of a secret only its last characters. */
export const shownFields = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) =>
      secretNames.includes(name) && typeof value === 'string'
        ? [name, { configured: true, hint: ending(value) }]
        : [name, value],
    ),
  )

/** The stored secrets that the fields of a change leave out; none of another kind. */
export function keptSecrets(next: Pick<Fields, 'kind'>, stored: Fields): Record<string, unknown> {
  if (stored.kind !== next.kind) return {}
  const sent: Record<string, unknown> = next
  return Object.fromEntries(
    Object.entries(stored).filter(([name, value]) => secretNames.includes(name) && value && !sent[name]),
  )
}

/** The secrets that a kind needs and that are not set. */
export function missingSecrets(fields: Fields): string[] {
  if (optionalSecrets.includes(fields.kind)) return []
  const option = Fields.options.find(({ shape }) => shape.kind.value === fields.kind)
  return Object.keys(option?.shape ?? {}).filter(
    (name) => secretNames.includes(name) && !(fields as Record<string, unknown>)[name],
  )
}

/** What a person recognises it by. */
export function hintOf(fields: Fields): string {
  switch (fields.kind) {
    case 'header':
      return `${fields.name}: ${ending(fields.secret ?? '')}`
    case 'query':
      return `${fields.name}=${ending(fields.secret ?? '')}`
    case 'basic':
      return fields.username
    case 'bearer':
      return ending(fields.token ?? '')
    case 'oauth2':
      return `${URL.parse(fields.token_url)?.host ?? ''}, client ${fields.client_id.slice(0, 12)}`
    case 'hmac':
      return `${fields.header}, ${fields.algorithm}`
    case 'standard':
      return `${fields.headers}-signature: ${ending(fields.secret ?? '')}`
    case 'database':
      return fields.url.split('?', 1)[0] ?? ''
  }
}
