import { z } from 'zod'
import { holds } from '../auth/caller.ts'
import { isShared, SharedWith, visibleRows } from '../auth/sharing.ts'
import { collection } from '../collection.ts'
import { invalid, invalidField } from '../fault.ts'
import { isHost } from '../outbound/targets.ts'
import { required } from '../required.ts'
import type { Reader } from '../table.ts'
import { hostsOf, parsedTestUrl, placesOf } from './hosts.ts'
import { Fields, hintOf, Kind, keptSecrets, missingSecrets, shownFields, tidied } from './kinds.ts'
import { openFields, sealFields } from './sealed.ts'

const TestUrl = z
  .string()
  .max(2_000)
  .refine((text) => text === '' || parsedTestUrl(text) !== null, 'must be an http or https address, or empty')

/** An authorization that a person has begun on the page of a service. */
const Pending = z.object({
  state_hash: z.string(),
  sealed_verifier: z.string(),
  /** The session or key that began it. */
  by: z.string(),
  redirect_uri: z.string(),
  expires_at: z.string(),
})

/** What the daemon signs in with at other services. A definition, such as that of a workflow, names it by its id. */
export const credentials = collection({
  noun: 'credential',
  prefix: 'cred',
  path: '/api/credentials',
  items: 'credentials',
  owner: 'caller',
  shareable: true,
  events: { type: 'credential', id: 'credential_id' },
  order: 'name COLLATE NOCASE, id',
  summaries: { list: 'List credentials by name', create: 'Store a credential; its secrets are never shown' },
  table: {
    name: 'credentials',
    columns: ['name', 'shared_with', 'sealed_fields', 'sealed_tokens', 'tokens_expire_at', 'renewing_until'],
    packed: 'settings',
    guard: ['sealed_tokens'],
  },
  fields: {
    name: z.string().trim().min(1).max(200).meta({ title: 'Name' }),
    test_url: TestUrl.default('').meta({
      title: 'Address for the test',
      description: 'A GET request to it shows whether the credential works. A database needs none',
      format: 'line',
    }),
    hosts: z
      .array(z.string().trim().toLowerCase().max(300).refine(isHost, 'must be a host, such as api.example.com'))
      .max(20)
      .default([])
      .meta({
        title: 'Hosts',
        description:
          'It is sent to these only, with https unless a port is named. Leave blank for the host of the address for the test, and for a database',
        format: 'tags',
      }),
    shared_with: SharedWith.default([]).meta({ format: 'api-only' }),
  },
  sent: { fields: Fields },
  state: {
    kind: Kind,
    hint: z.string(),
    last_test: z.object({ at: z.string(), ok: z.boolean(), detail: z.string() }).nullable().default(null),
  },
  hidden: {
    shown: z.record(z.string(), z.unknown()),
    sealed_fields: z.string(),
    sealed_tokens: z.string().nullable().default(null),
    tokens_expire_at: z.string().nullable().default(null),
    renewing_until: z.string().nullable().default(null),
    pending: Pending.nullable().default(null),
    /** An administrator entered the fields, so a database may be on a private network. */
    is_trusted: z.boolean().default(false),
  },
  derived: {
    /** Without the secrets: of each `{configured, hint}`. */
    fields: z.record(z.string(), z.unknown()),
    /** False until a person has agreed on the page of the service. */
    authorized: z.boolean(),
  },
  derive: (_, { shown, sealed_tokens }) => ({
    fields: shown,
    authorized: shown.grant !== 'authorization_code' || sealed_tokens !== null,
  }),
  async prepare(context, { next, before, sent }) {
    const stored = before && (await openFields(context, before))
    const given = sent.fields ? tidied(sent.fields) : stored
    if (!given) throw invalidField('fields', 'is required')
    const kept = stored ? keptSecrets(sent.fields ? given : { kind: stored.kind }, stored) : {}
    const fields = { ...given, ...kept } as Fields
    const issues = missingSecrets(fields).map((name) => ({ path: `fields.${name}`, message: 'is required' }))
    if (fields.kind === 'oauth2' && fields.grant === 'authorization_code' && !fields.authorization_url)
      issues.push({ path: 'fields.authorization_url', message: 'is required' })
    if (fields.kind !== 'database' && hostsOf(next).length === 0)
      issues.push({ path: 'hosts', message: 'must name a host, unless there is an address for the test' })
    const places = before && stored ? placesOf(before, stored) : []
    const isMoved = placesOf(next, fields).some((place) => !places.includes(place))
    // Who may change a credential must not be able to read its secrets by having them sent to a host of their own.
    const message = 'must be entered again, because the credential would be sent elsewhere'
    if (isMoved) issues.push(...Object.keys(kept).map((name) => ({ path: `fields.${name}`, message })))
    if (issues.length > 0) throw invalid(issues)
    if (!sent.fields && !isMoved) return {} as never
    return {
      kind: fields.kind,
      hint: hintOf(fields),
      shown: shownFields(fields),
      sealed_fields: await sealFields(context, fields),
      is_trusted: context.caller.kind !== 'system' && holds(context.caller, 'admin'),
      // Tokens belong to the account that the fields name, and to these hosts.
      ...{ sealed_tokens: null, tokens_expire_at: null, pending: null, last_test: null },
    }
  },
})

export type Credential = z.output<typeof credentials.Row>
export type StoredCredential = NonNullable<Awaited<ReturnType<typeof credentials.find>>>

/** A credential that the caller may use, by its id or name; of several with the name, one of their own. */
export async function findNamed(context: Reader, name: string): Promise<StoredCredential | null> {
  const one = await credentials.findOwn(context, name)
  if (one) return one
  const visible = await visibleRows(context, 'credentials')
  const order = { sql: 'name = ?', args: [name] }
  const named = await credentials.table.list(context, 'id', order, visible)
  return named.find((found) => !isShared(context, found)) ?? named[0] ?? null
}

export const requireNamed = required('credential', findNamed)
