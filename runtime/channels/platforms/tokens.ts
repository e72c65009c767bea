import { createLocalJWKSet, decodeProtectedHeader, errors, type JWK, type JWTPayload, jwtVerify } from 'jose'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { unavailable } from '../../fault.ts'
import { processState } from '../../process-state.ts'
import { hour, minute, second } from '../../time.ts'
import type { Connection } from '../platform.ts'
import { type ApiAnswer, failureOf, requestApi } from './request.ts'

/** The channels that a Microsoft key may sign for. */
export type VendorKey = JWK & { endorsements?: unknown }

interface KeySet {
  keys: readonly VendorKey[]
  /** Milliseconds since the epoch. */
  fetched_at: number
}

const keySets = processState(() => new Map<string, KeySet>())

const maxAge = 12 * hour
/** Minimum time between two fetches for an unknown key id, so that forged tokens cause no load. */
const minAge = minute

export interface JwtRules {
  /** URL of the JSON Web Key Set. */
  jwks_url(): Promise<string>
  /** Cache key of the set. */
  issuer: string
  audience: string
  /** Clock tolerance in seconds. */
  tolerance: number
}

export type Verified = { ok: true; payload: JWTPayload; key: VendorKey } | { ok: false; reason: string }

/**
 * Verifies a bearer token: RS256 only, signature, issuer, audience, `exp`, `nbf` and `iat`. Throws a `Fault` 503 if the
 * keys cannot be fetched, so that the platform repeats the request.
 */
export async function verifyJwt(context: Context, token: string, rules: JwtRules): Promise<Verified> {
  // An empty audience must not accept every token.
  if (rules.audience === '') return { ok: false, reason: 'the expected audience is not set' }
  try {
    const { kid, alg } = decodeProtectedHeader(token)
    if (alg !== 'RS256') return { ok: false, reason: `the token's algorithm is ${alg ?? 'missing'}` }
    const key = await keyOf(context, rules, kid)
    if (!key) return { ok: false, reason: 'the token names an unknown key' }
    const now = context.clock.now()
    const { payload } = await jwtVerify(token, createLocalJWKSet({ keys: [key] }), {
      algorithms: ['RS256'],
      issuer: rules.issuer,
      audience: rules.audience,
      clockTolerance: rules.tolerance,
      requiredClaims: ['exp'],
      currentDate: new Date(now),
    })
    if (payload.iat !== undefined && payload.iat > now / second + rules.tolerance)
      return { ok: false, reason: 'the token was issued in the future' }
    return { ok: true, payload, key }
  } catch (thrown) {
    if (thrown instanceof errors.JOSEError || thrown instanceof TypeError)
      return { ok: false, reason: `the token is invalid: ${thrown.message}` }
    throw thrown
  }
}

/** The token of `Authorization: Bearer …`; null if the header is missing or different. */
export function bearerOf(headers: Headers): string | null {
  return /^Bearer ([\w-]{1,8000}\.[\w-]{1,8000}\.[\w-]{1,8000})$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null
}

async function keyOf(context: Context, rules: JwtRules, kid: string | undefined): Promise<VendorKey | null> {
  if (!kid) return null
  const sets = keySets(context)
  const now = context.clock.now()
  const set = sets.get(rules.issuer)
  const key = set?.keys.find((key) => key.kid === kid)
  if (set && key && now - set.fetched_at < maxAge) return key
  if (set && !key && now - set.fetched_at < minAge) return null
  const keys = await fetchKeys(context, rules)
  sets.set(rules.issuer, { keys, fetched_at: now })
  return keys.find((key) => key.kid === kid) ?? null
}

async function fetchKeys(context: Context, { jwks_url, issuer }: JwtRules): Promise<VendorKey[]> {
  const answer = await jwks_url()
    .then((url) => requestApi(context, url, {}))
    .catch(() => null)
  const keys = (answer?.status === 200 && (answer.body as { keys?: unknown } | null)?.keys) || null
  if (!Array.isArray(keys)) throw unavailable(`The public keys of ${issuer} cannot be fetched`)
  return keys.filter((key): key is VendorKey => typeof key === 'object' && key !== null)
}

interface AccessToken {
  value: string
  /** Milliseconds since the epoch. */
  expires_at: number
  /** The credentials with which it was requested. */
  credentials: string
}

const accessTokens = processState(() => new Map<string, AccessToken>())

interface FetchedToken {
  value: string
  expires_in_seconds: number
}

type FetchToken = () => Promise<FetchedToken>

/** The access token of a channel, requested again a minute before it expires. */
async function accessToken(context: Context, connection: Connection, fetchToken: FetchToken): Promise<string> {
  const tokens = accessTokens(context)
  const credentials = context.secrets.sha256(JSON.stringify(connection.credentials))
  const token = tokens.get(connection.channel_id)
  const now = context.clock.now()
  if (token && token.credentials === credentials && token.expires_at - minute > now) return token.value
  const { value, expires_in_seconds } = await fetchToken()
  tokens.set(connection.channel_id, { value, expires_at: now + expires_in_seconds * second, credentials })
  return value
}

/** Sends a request with the channel's access token, and once more with a new token if it is refused with 401. */
export async function withAccessToken<Answer extends Pick<ApiAnswer, 'status'>>(
  context: Context,
  connection: Connection,
  { fetchToken, send }: { fetchToken: FetchToken; send(token: string): Promise<Answer> },
): Promise<Answer> {
  const answer = await send(await accessToken(context, connection, fetchToken))
  if (answer.status !== 401) return answer
  if (answer instanceof Response) await answer.body?.cancel()
  accessTokens(context).delete(connection.channel_id)
  return send(await accessToken(context, connection, fetchToken))
}

const Token = z.object({ access_token: z.string(), expires_in: z.number() })
const TokenError = z.object({ error: z.string(), error_description: z.string().optional() })

/** Requests an access token from an OAuth 2.0 token endpoint (RFC 6749, 4.4 and 5). `title` names the vendor in errors. */
export async function requestToken(
  context: Context,
  url: string,
  { title, form }: { title: string; form: Record<string, string> },
): Promise<FetchedToken> {
  const answer = await requestApi(context, url, { method: 'POST', body: new URLSearchParams(form) })
  const token = Token.safeParse(answer.body).data
  if (answer.status === 200 && token) return { value: token.access_token, expires_in_seconds: token.expires_in }
  const error = TokenError.safeParse(answer.body).data
  // Microsoft appends trace ids on further lines.
  const reason = (error?.error_description?.split('\n')[0]?.trim() ?? error?.error)?.slice(0, 300)
  const failed = answer.status === 200 ? { ...answer, status: 502 } : answer
  throw failureOf(failed, { title, reason }, context.clock.now())
}
