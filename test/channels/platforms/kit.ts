import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { expect, test, vi } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import type { MemoryHost } from '../../../adapters/memory/host.ts'
import { createOutbound } from '../../../adapters/outbound/outbound.ts'
import { localContext } from '../../../runtime/auth/local.ts'
import {
  type Connection,
  type InboundMessage,
  type OutboundMessage,
  type Platform,
  type RawRequest,
  type Received,
  SendFailed,
} from '../../../runtime/channels/platform.ts'
import { Fault } from '../../../runtime/fault.ts'
import type { Outbound } from '../../../runtime/ports/outbound.ts'
import { tick } from '../../../runtime/tick.ts'
import { Stopping } from '../../../runtime/work/run.ts'
import { testHost } from '../../support/host.ts'

/** A request that the platform's server received. */
export interface Got {
  method: string
  /** `https://host/path?query`, as the daemon wrote it. */
  url: URL
  headers: Headers
  bytes: Buffer
  json: Awaited<ReturnType<Response['json']>>
  form(): Promise<FormData>
}

type Handler = (got: Got) => Response | Promise<Response> | undefined

export interface PlatformServer extends AsyncDisposable {
  host: MemoryHost
  /** What was requested, oldest first. */
  requests: Got[]
  /** Answers the next requests instead of the handler. */
  next: (Response | Handler)[]
}

/** A platform on the loopback: requests for any host reach `handler`, and sockets `onSocket`, through the guard. */
export async function startPlatform(
  handler: Handler,
  own: Parameters<typeof testHost>[0] = {},
  onSocket: (socket: WebSocket, url: URL) => void = (socket) => socket.terminate(),
): Promise<PlatformServer> {
  const requests: Got[] = []
  const next: (Response | Handler)[] = []
  const server = createServer(async (incoming, outgoing) => {
    const bytes = await buffer(incoming)
    const url = new URL(`https:/${incoming.url}`)
    const headers = new Headers(incoming.headers as Record<string, string>)
    const type = headers.get('content-type') ?? ''
    const got: Got = {
      method: incoming.method ?? '',
      url,
      headers,
      bytes,
      json: type.includes('json') ? JSON.parse(bytes.toString()) : undefined,
      form: () => new Response(bytes, { headers: { 'content-type': type } }).formData(),
    }
    requests.push(got)
    const scripted = next.shift()
    const response =
      (await (scripted instanceof Response ? scripted : (scripted ?? handler)(got))) ??
      new Response('unknown', { status: 404 })
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(Buffer.from(await response.arrayBuffer()))
  })
  // A large body is built in the same process: an idle connection must not be closed meanwhile.
  server.keepAliveTimeout = 60_000
  new WebSocketServer({ server }).on('connection', (socket, { url }) => onSocket(socket, new URL(`wss:/${url}`)))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const guard = createOutbound({ allowlist: ['127.0.0.1'] })
  const outbound: Outbound = {
    refusal: guard.refusal,
    openSocket(url, options) {
      const wanted = new URL(url)
      expect(wanted.protocol).toBe('wss:')
      return guard.openSocket(`ws://127.0.0.1:${port}/${wanted.host}${wanted.pathname}${wanted.search}`, options)
    },
    fetch(url, init, options) {
      const wanted = new URL(url)
      expect(wanted.protocol).toBe('https:')
      return guard.fetch(`http://127.0.0.1:${port}/${wanted.host}${wanted.pathname}${wanted.search}`, init, options)
    },
  }
  return {
    host: await testHost({ outbound, ...own }),
    requests,
    next,
    async [Symbol.asyncDispose]() {
      await guard.close()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** Ticks until the value is there, as a host's ticker does. */
export const until = <Value>(host: MemoryHost, find: () => Value | Promise<Value>): Promise<NonNullable<Value>> =>
  vi.waitFor(
    async () => {
      await tick(host)
      const found = await find()
      if (!found) throw new Error('not yet')
      return found
    },
    { timeout: 60_000, interval: 5 },
  )

/** Stops what the host runs, as the end of a daemon does. */
export async function stopWork(host: MemoryHost): Promise<void> {
  host.process.running.abortAll(new Stopping('stop'))
  await host.process.running.settled()
}

export const webhookUrl = 'https://hearth.example/api/channels/x/webhook/chan_1'

export const connectionOf = (credentials: Record<string, string>): Connection => ({
  channel_id: 'chan_1',
  credentials,
  webhook_url: webhookUrl,
})

export interface Posted {
  body: string | Uint8Array
  headers: Record<string, string> | [string, string][]
  method?: string
  url?: string
}

export const rawRequest = ({ body, headers, method = 'POST', url = webhookUrl }: Posted): RawRequest => ({
  method,
  url: new URL(url),
  headers: new Headers(headers),
  body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
})

/** The messages of a request that must be accepted. */
export function messagesOf(received: Received): readonly InboundMessage[] {
  if (received.kind !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(received)}`)
  return received.messages
}

export interface Mutation {
  posted: Posted
  /** Default: those of the scheme. */
  credentials?: Record<string, string>
}

/** Every mutation must be refused; the untouched request must not. */
export function refusesMutations(
  platform: Platform,
  {
    credentials,
    valid,
    mutations,
    host = () => testHost(),
    now,
  }: {
    credentials: Record<string, string>
    valid: Posted
    mutations: Record<string, Mutation>
    host?: () => Promise<MemoryHost>
    /** Milliseconds since the epoch. */
    now?: number
  },
): void {
  const ready = host().then((made) => {
    if (now !== undefined) made.clock.jump(now - made.clock.now())
    return made
  })
  const receive = async ({ posted, credentials: own = credentials }: Mutation) =>
    platform.receive(rawRequest(posted), connectionOf(own), localContext(await ready))

  test('accepts the untouched request', async () => {
    // A published example may be verified without being a message: then it is refused as unreadable.
    const received = await receive({ posted: valid }).catch((thrown: unknown) => {
      if (thrown instanceof Fault && thrown.status === 422) return { kind: 'verified' }
      throw thrown
    })
    expect(received.kind).not.toBe('refused')
  })

  test('has at least 25 mutations', () => {
    expect(Object.keys(mutations).length).toBeGreaterThanOrEqual(25)
  })

  test.each(Object.entries(mutations))('refuses %s', async (_, mutation) => {
    const received = await receive(mutation)
    expect(received.kind).toBe('refused')
    expect(received).not.toHaveProperty('messages')
  })
}

export const outbound = (more: Partial<OutboundMessage> = {}): OutboundMessage => ({
  id: 'msg_1:0',
  peer: { kind: 'dm', id: '42', name: null, thread_id: null, team_id: null },
  markdown: 'Good **morning**',
  buttons: [],
  files: [],
  reply: null,
  ...more,
})

export const buttons = [
  { label: 'Approve', value: 'ok:1', style: 'primary' },
  { label: 'Deny', value: 'no:1', style: 'danger' },
] as const

export const file = (bytes = 10) => ({
  name: 'report.txt',
  mime_type: 'text/plain',
  bytes: new Uint8Array(bytes).fill(97),
})

/** The error of a send that must fail. */
export async function failureOf(sending: Promise<unknown> | undefined): Promise<SendFailed> {
  const thrown = await Promise.resolve(sending).then(
    () => new Error('it was sent'),
    (error) => error,
  )
  if (!(thrown instanceof SendFailed)) throw thrown
  return thrown
}

/** Every platform reports rate limits, failures and refusals in the same way. */
export function reportsFailures(
  platform: Platform,
  {
    server,
    connection,
    limited = () => new Response('{}', { status: 429, headers: { 'retry-after': '7' } }),
    before = () => [],
  }: {
    server: () => PlatformServer
    connection: Connection
    limited?: () => Response
    /** Answers of the requests before the one that sends. */
    before?: () => Response[]
  },
): void {
  const send = async (...answers: Response[]) => {
    server().next.push(...before(), ...answers)
    return failureOf(platform.send(outbound(), connection, localContext(server().host)))
  }

  test('a rate limit is reported with its seconds', async () => {
    expect(await send(limited())).toMatchObject({ retry_after_seconds: 7, is_permanent: false })
  })

  test.each([500, 502, 503])('status %i may be repeated', async (status) => {
    expect(await send(new Response('oops', { status }))).toMatchObject({ is_permanent: false })
  })

  test.each([400, 403, 404])('status %i is final', async (status) => {
    expect(await send(new Response('{}', { status }))).toMatchObject({ is_permanent: true })
  })
}

/** Bytes of a request with one bit changed. */
export function flip(body: string | Uint8Array, at: number): Uint8Array {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body.slice()
  const index = (at + bytes.length) % bytes.length
  bytes[index] = (bytes[index] ?? 0) ^ 1
  return bytes
}

/** A text with another character at `at`. */
export const alter = (text: string, at: number): string => {
  const index = (at + text.length) % text.length
  return `${text.slice(0, index)}${text[index] === 'a' ? 'b' : 'a'}${text.slice(index + 1)}`
}

/** A vendor's signing key and its public half. */
export async function signer(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }
  const sign = (payload: JWTPayload, header: Record<string, unknown> = {}) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT', ...header }).sign(privateKey)
  return { jwk, privateKey, publicKey, sign }
}

/** What can be done to any signed request: 20 changes of its body, signature and secret. */
export function commonMutations(
  valid: Posted & { headers: Record<string, string> },
  { header, secret, credentials }: { header: string; secret: string; credentials: Record<string, string> },
): Record<string, Mutation> {
  const signature = valid.headers[header] ?? ''
  const body = (changed: string | Uint8Array): Mutation => ({ posted: { ...valid, body: changed } })
  const signed = (value: string): Mutation => ({
    posted: { ...valid, headers: { ...valid.headers, [header]: value } },
  })
  const { [header]: _, ...unsigned } = valid.headers
  const { [secret]: own = '', ...others } = credentials
  const keyed = (value: Record<string, string>): Mutation => ({ posted: valid, credentials: value })
  const text = typeof valid.body === 'string' ? valid.body : new TextDecoder().decode(valid.body)
  return {
    'the first byte of the body': body(flip(text, 0)),
    'a byte in the middle of the body': body(flip(text, text.length >> 1)),
    'the last byte of the body': body(flip(text, -1)),
    'a longer body': body(`${text} `),
    'a shorter body': body(text.slice(0, -1)),
    'an empty body': body(''),
    'a body with a byte order mark': body(`\ufeff${text}`),
    'the first letter of the signature': signed(alter(signature, 0)),
    'a letter in the middle of the signature': signed(alter(signature, signature.length >> 1)),
    'the last letter but one of the signature': signed(alter(signature, -2)),
    'a longer signature': signed(`${signature}a`),
    'a shorter signature': signed(signature.slice(0, -1)),
    'a signature with other letter case': signed(
      signature === signature.toUpperCase() ? signature.toLowerCase() : signature.toUpperCase(),
    ),
    'an empty signature': signed(''),
    'no signature': { posted: { ...valid, headers: unsigned } },
    'two different signatures': {
      posted: { ...valid, headers: [...Object.entries(valid.headers), [header, alter(signature, -2)]] },
    },
    'the signature twice': {
      posted: { ...valid, headers: [...Object.entries(valid.headers), [header, signature]] },
    },
    'the signature in another header': {
      posted: { ...valid, headers: { ...unsigned, [`${header}-2`]: signature } },
    },
    'another secret': keyed({ ...credentials, [secret]: alter(own, 0) }),
    'an empty secret': keyed({ ...credentials, [secret]: '' }),
    'no secret': keyed(others),
  }
}

type Signer = Awaited<ReturnType<typeof signer>>

/** Every way in which a JSON Web Token can be wrong. `payload` is that of a right one. */
export async function jwtMutations(
  { jwk, sign }: Signer,
  { body, payload, now }: { body: string; payload: JWTPayload; now: number },
): Promise<Record<string, Mutation>> {
  const stranger = await signer(jwk.kid)
  const token = await sign(payload)
  const [head = '', claims = '', signature = ''] = token.split('.')
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const header = (value: string): Mutation => ({ posted: { body, headers: { authorization: value } } })
  const bearer = (value: string) => header(`Bearer ${value}`)
  const claiming = async (changes: object) => bearer(await sign({ ...payload, ...changes }))
  const { exp: _, ...endless } = payload
  const secret = new TextEncoder().encode(JSON.stringify(jwk))
  return {
    'no token': { posted: { body, headers: {} } },
    'an empty token': header(''),
    'an empty bearer token': header('Bearer '),
    'the scheme Basic': header(`Basic ${token}`),
    'no scheme': header(token),
    'two tokens': {
      posted: {
        body,
        headers: [
          ['authorization', `Bearer ${token}`],
          ['authorization', `Bearer ${token}`],
        ],
      },
    },
    'the token in the query': { posted: { body, headers: {}, url: `${webhookUrl}?token=${token}` } },
    'alg none': bearer(`${encode({ alg: 'none', typ: 'JWT', kid: jwk.kid })}.${claims}.`),
    'alg none with the signature': bearer(`${encode({ alg: 'none', kid: jwk.kid })}.${claims}.${signature}`),
    'alg None': bearer(`${encode({ alg: 'None', kid: jwk.kid })}.${claims}.${signature}`),
    'the public key as an HMAC secret': bearer(
      await new SignJWT(payload).setProtectedHeader({ alg: 'HS256', kid: jwk.kid }).sign(secret),
    ),
    'alg RS512': bearer(`${encode({ alg: 'RS512', kid: jwk.kid })}.${claims}.${signature}`),
    'no algorithm': bearer(`${encode({ kid: jwk.kid })}.${claims}.${signature}`),
    'an unknown key id': bearer(await sign(payload, { kid: 'unknown' })),
    'no key id': bearer(await sign(payload, { kid: undefined })),
    'a key of somebody else': bearer(await stranger.sign(payload)),
    'a key in the header': bearer(await stranger.sign(payload, { jwk: stranger.jwk, kid: 'mine' })),
    'a critical header': bearer(`${encode({ alg: 'RS256', kid: jwk.kid, crit: ['x'], x: 1 })}.${claims}.${signature}`),
    'the first letter of the signature': bearer(`${head}.${claims}.${alter(signature, 0)}`),
    'no signature': bearer(`${head}.${claims}.`),
    'two parts': bearer(`${head}.${claims}`),
    'five parts': bearer(`${token}.${head}.${claims}`),
    'a letter of the claims': bearer(`${head}.${alter(claims, 10)}.${signature}`),
    'other claims under the signature': bearer(`${head}.${encode({ ...payload, extra: 1 })}.${signature}`),
    'a letter of the header': bearer(`${alter(head, 5)}.${claims}.${signature}`),
    'another audience': await claiming({ aud: 'other' }),
    'no audience': await claiming({ aud: undefined }),
    'another issuer': await claiming({ iss: 'https://evil.test' }),
    'a longer issuer': await claiming({ iss: `${payload.iss}.evil.test` }),
    'no issuer': await claiming({ iss: undefined }),
    expired: await claiming({ exp: now - 301 }),
    'no expiry': bearer(await sign(endless)),
    'an expiry that is text': await claiming({ exp: String(now + 3_600) as unknown as number }),
    'valid in the future only': await claiming({ nbf: now + 301 }),
    'issued in the future': await claiming({ iat: now + 301 }),
  }
}
