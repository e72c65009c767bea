import { z } from 'zod'
import { publicUrl } from '../channels/index.ts'
import type { Context } from '../context.ts'
import { conflict, Fault } from '../fault.ts'
import { wonRace } from '../lost-race.ts'
import { OutboundBlocked } from '../ports/outbound.ts'
import { toBase64Url } from '../secrets/base64.ts'
import { fromHex, toPaddedBase64 } from '../secrets/signatures.ts'
import { errorMessage } from '../thrown.ts'
import { iso, minute, second } from '../time.ts'
import { within } from '../within.ts'
import { type Credential, credentials, type StoredCredential } from './credentials.ts'
import type { FieldsOf } from './kinds.ts'
import { verifierPurpose } from './purposes.ts'
import { openFields, openTokens, sealTokens, type Tokens } from './sealed.ts'

/** The page to which services send people back; it passes code and state on. */
const page = '/settings/credentials'
/** How long a person may take on the page of the service. */
const patience = 10 * minute
/** Tokens are renewed so long before they expire. */
const ahead = minute
/** How long one process may take to renew tokens, while the others wait. */
const lease = 30 * second

export const Authorization = z.object({
  /** The page of the service, to which the person has to go. */
  url: z.string(),
  redirect_uri: z.string(),
  expires_at: z.string(),
})

export const Authorized = z.object({ state: z.string().max(500), code: z.string().min(1).max(4_000) })

async function requireOAuth(context: Context, credential: StoredCredential): Promise<FieldsOf<'oauth2'>> {
  const fields = await openFields(context, credential)
  if (fields.kind !== 'oauth2') throw conflict(`The credential “${credential.name}” is not one of OAuth 2`)
  return fields
}

/** Begins the authorization by a person, with PKCE (RFC 7636). `origin`: of the page that the person uses. */
export async function beginAuthorization(
  context: Context,
  id: string,
  origin: string,
): Promise<z.output<typeof Authorization>> {
  const fields = await requireOAuth(context, await credentials.requireOwn(context, id))
  const url = URL.parse(fields.authorization_url ?? '')
  if (fields.grant !== 'authorization_code' || !url) throw conflict('This credential needs no person to authorize it')
  const { secrets, clock, caller } = context
  const verifier = secrets.random(32)
  const state = `${id}.${secrets.random(24)}`
  const pending = {
    state_hash: secrets.sha256(state),
    sealed_verifier: await secrets.seal(verifier, verifierPurpose),
    by: `${caller.kind} ${caller.id}`,
    redirect_uri: (await publicUrl(context, page)) ?? origin + page,
    expires_at: iso(clock.now() + patience),
  }
  await credentials.change(context, id, () => ({ pending }), { action: 'credential.authorization_begun' })
  const { redirect_uri, expires_at } = pending
  const parameters = {
    ...fields.parameters,
    ...{ response_type: 'code', client_id: fields.client_id, redirect_uri, state },
    ...(fields.scope !== '' && { scope: fields.scope }),
    code_challenge: toBase64Url(fromHex(secrets.sha256(verifier)) ?? new Uint8Array()),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { url: url.href, redirect_uri, expires_at }
}

/** Ends the authorization: only for the session that began it, and once. */
export async function endAuthorization(
  context: Context,
  id: string,
  { state, code }: z.output<typeof Authorized>,
): Promise<Credential> {
  const { secrets, clock, caller } = context
  const credential = await credentials.requireOwn(context, id)
  const fields = await requireOAuth(context, credential)
  const { pending } = credential
  const isOwn =
    pending !== null &&
    pending.by === `${caller.kind} ${caller.id}` &&
    clock.now() < Date.parse(pending.expires_at) &&
    secrets.equal(secrets.sha256(state), pending.state_hash)
  if (!isOwn) throw conflict('This authorization was not begun here, or it has expired: authorize again')
  await credentials.change(
    context,
    id,
    ({ pending: current }) => {
      if (current?.state_hash !== pending.state_hash) throw conflict('This authorization was used already')
      return { pending: null }
    },
    { action: 'credential.authorization_ended' },
  )
  const answer = await requestTokens(context, fields, {
    grant_type: 'authorization_code',
    ...{ code, redirect_uri: pending.redirect_uri },
    code_verifier: await secrets.open(pending.sealed_verifier, verifierPurpose),
  })
  const stored = await tokensToStore(context, answer)
  return credentials.change(context, id, () => stored, { action: 'credential.authorized' })
}

/**
 * The access token of a credential. It is renewed if it is about to expire, or if it is the one that was `refused`. One
 * process renews it at a time, because many services accept a refresh token only once.
 */
export async function accessToken(
  context: Context,
  { id, name }: Pick<StoredCredential, 'id' | 'name'>,
  refused?: string,
): Promise<string> {
  const until = context.clock.now() + lease
  for (;;) {
    const credential = await credentials.require(context, id)
    const tokens = await openTokens(context, credential)
    const now = context.clock.now()
    const expires = credential.tokens_expire_at
    const isFresh = expires === null || Date.parse(expires) - now > ahead
    if (tokens && isFresh && tokens.access_token !== refused) return tokens.access_token
    const renewing_until = iso(now + lease)
    const free = `id = ? AND sealed_tokens IS ? AND (renewing_until IS NULL OR renewing_until < ?)`
    const claim = credentials.table.update(
      { renewing_until },
      { sql: free, args: [id, credential.sealed_tokens, iso(now)] },
      'Another request renews it',
    )
    if (await wonRace(context.commit([claim]))) return renew(context, credential, tokens)
    if (now > until) throw conflict(`The credential “${name}” could not be renewed in time`)
    await context.clock.after(200, context.signal)
  }
}

async function renew(context: Context, credential: StoredCredential, tokens: Tokens | null): Promise<string> {
  const { id, name, sealed_fields } = credential
  const store = (changed: Partial<StoredCredential>) =>
    context.commit([credentials.table.update({ ...changed, renewing_until: null }, { id, sealed_fields })])
  try {
    const fields = await requireOAuth(context, credential)
    const grant = grantOf(fields, tokens)
    if (!grant) throw conflict(`The credential “${name}” must be authorized again by its owner`)
    const answer = await requestTokens(context, fields, grant)
    const { refresh_token = tokens?.refresh_token } = answer
    await store(await tokensToStore(context, { ...answer, ...(refresh_token && { refresh_token }) }))
    return answer.access_token
  } catch (thrown) {
    await store(thrown instanceof TokensRefused ? { sealed_tokens: null, tokens_expire_at: null } : {})
    throw thrown
  }
}

function grantOf({ grant, scope }: FieldsOf<'oauth2'>, tokens: Tokens | null): Record<string, string> | null {
  if (grant === 'client_credentials') return { grant_type: grant, ...(scope !== '' && { scope }) }
  const { refresh_token } = tokens ?? {}
  return refresh_token === undefined ? null : { grant_type: 'refresh_token', refresh_token }
}

const Answer = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.coerce.number().min(0).optional(),
})

/** The service does not accept the authorization any more. */
class TokensRefused extends Fault {
  override name = 'TokensRefused'
}

/** RFC 6749, 4.1.3, 4.4.2 and 6. It is sent to the token endpoint alone, and not after a redirect. */
async function requestTokens(
  context: Context,
  { token_url, client_id, client_secret, client_authentication }: FieldsOf<'oauth2'>,
  grant: Record<string, string>,
): Promise<z.output<typeof Answer>> {
  const body = new URLSearchParams({ ...grant, client_id })
  const headers = new Headers({ accept: 'application/json' })
  if (client_secret && client_authentication === 'body') body.set('client_secret', client_secret)
  if (client_secret && client_authentication === 'header') {
    const pair = `${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret)}`
    headers.set('authorization', `Basic ${toPaddedBase64(new TextEncoder().encode(pair))}`)
  }
  const { status, text } = await within(context, { milliseconds: 15 * second }, async (signal) => {
    const response = await context.outbound.fetch(token_url, {
      ...{ method: 'POST', headers, body, signal },
      redirect: 'error',
    })
    return { status: response.status, text: (await response.text()).slice(0, 100_000) }
  }).catch((thrown: unknown) => {
    if (context.signal.aborted) throw thrown
    const reason = thrown instanceof OutboundBlocked ? `the guard refused it: ${thrown.message}` : undefined
    throw conflict(`The token endpoint did not answer: ${reason ?? errorMessage(thrown)}`)
  })
  const answer = Answer.safeParse(membersOf(text))
  if (status < 300 && answer.success) return answer.data
  const { error } = membersOf(text)
  const code = typeof error === 'string' && /^[\w.-]{1,60}$/.test(error) ? error : `status ${status}`
  const message = `The token endpoint refused: ${code}`
  throw code === 'invalid_grant' ? new TokensRefused(409, 'conflict', message) : conflict(message)
}

/** The members of JSON, or of a form, which some services send. */
function membersOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return Object.fromEntries(new URLSearchParams(text))
  }
}

async function tokensToStore(
  context: Context,
  { expires_in, ...tokens }: z.output<typeof Answer>,
): Promise<Pick<StoredCredential, 'sealed_tokens' | 'tokens_expire_at'>> {
  return {
    sealed_tokens: await sealTokens(context, tokens as Tokens),
    tokens_expire_at: expires_in === undefined ? null : iso(context.clock.now() + expires_in * second),
  }
}
