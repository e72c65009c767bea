import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as incoming from '../../handlers/hooks/incoming.ts'
import type { IncomingAuth } from '../../runtime/hooks/incoming.ts'
import { IncomingAuth as Auth } from '../../runtime/hooks/incoming.ts'
import { isAuthentic } from '../../runtime/hooks/verify.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** Messages that the senders have published, with their times. */
const published: [IncomingAuth['kind'], string, Record<string, string>, string, number][] = [
  [
    // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries#testing-the-webhook-payload-validation
    'github',
    `It's a Secret to Everybody`,
    { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
    'Hello, World!',
    0,
  ],
  [
    // https://docs.slack.dev/authentication/verifying-requests-from-slack
    'slack',
    '8f742231b10e8888abcd99yyyzzz85a5',
    {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    1531420618,
  ],
  [
    // https://github.com/standard-webhooks/standard-webhooks, the test of its libraries
    'standard',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    '{"test": 2432232314}',
    1614265330,
  ],
]

test.each(published)('the published message of %s is authentic', async (kind, secret, headers, body, at) => {
  const message = { headers: new Headers(headers), body: bytes(body), now: at * 1_000 }
  const auth = Auth.parse({ kind })
  expect(await isAuthentic(auth, secret, message)).toBe(true)
  for (const wrong of [null, '', `${secret} `, secret.slice(1)])
    expect(await isAuthentic(auth, wrong, message)).toBe(false)
})

const secret = 'whsec_c2VjcmV0IG9mIHRoZSBzZW5kZXI='
const text = '{\n  "id": "evt_test_webhook",\n  "object": "event"\n}'
const hex = (key: string | Buffer, signed: string) => createHmac('sha256', key).update(signed).digest('hex')

/** The headers with which each sender signs, computed without the code under test. */
const signers: Record<string, (body: string, key: string, seconds: number) => Record<string, string>> = {
  token: (_, key) => ({ 'x-webhook-token': key }),
  gitlab: (_, key) => ({ 'x-gitlab-token': key }),
  hmac_sha256: (body, key) => ({ 'x-signature-256': hex(key, body) }),
  github: (body, key) => ({ 'x-hub-signature-256': `sha256=${hex(key, body)}` }),
  stripe: (body, key, at) => ({ 'stripe-signature': `t=${at},v1=${hex(key, `${at}.${body}`)}` }),
  slack: (body, key, at) => ({
    'x-slack-request-timestamp': String(at),
    'x-slack-signature': `v0=${hex(key, `v0:${at}:${body}`)}`,
  }),
  standard(body, key, at) {
    const raw = Buffer.from(key.slice('whsec_'.length), 'base64')
    const mac = createHmac('sha256', raw).update(`msg_1.${at}.${body}`).digest('base64')
    return { 'webhook-id': 'msg_1', 'webhook-timestamp': String(at), 'webhook-signature': `v1,${mac}` }
  },
}

interface Message {
  headers: Record<string, string>
  body: string
}

const flip = (value: string, at: number) => {
  const old = value[at] ?? ''
  return value.slice(0, at) + (old === 'a' ? 'b' : 'a') + value.slice(at + 1)
}

/** Changes of a message, each of which makes it false. Tokens do not sign the body or the time. */
function mutations(kind: string, message: Message, at: number): [string, Message][] {
  const found: [string, Message][] = []
  const isToken = kind === 'token' || kind === 'gitlab'
  const withHeader = (what: string, name: string, value: string) =>
    found.push([`${name} ${what}`, { ...message, headers: { ...message.headers, [name]: value } }])
  const names = Object.keys(message.headers)
  const signature = names.find((name) => /signature|token/.test(name)) ?? ''
  const value = message.headers[signature] ?? ''
  const half = Math.floor(value.length / 2)
  for (const position of [0, 3, half, half + 1, value.length - 3, value.length - 2])
    withHeader(`with another letter at ${position}`, signature, flip(value, position))
  withHeader('that is empty', signature, '')
  withHeader('cut by one', signature, value.slice(0, -1))
  withHeader('without its beginning', signature, value.slice(1))
  withHeader('only half', signature, value.slice(0, half))
  withHeader('with more at its end', signature, `${value}a`)
  withHeader('with more at its beginning', signature, `a${value}`)
  withHeader('in capitals', signature, value.toUpperCase())
  withHeader('sent twice', signature, `${value}, ${value}`)
  withHeader(
    'of zeros',
    signature,
    value.replace(/[0-9a-f]{2,}/g, (part) => '0'.repeat(part.length)),
  )
  withHeader('undefined', signature, 'undefined')
  withHeader('null', signature, 'null')
  withHeader('in a list', signature, `[${value}]`)
  withHeader('quoted', signature, `"${value}"`)
  for (const name of names) {
    const { [name]: _, ...rest } = message.headers
    found.push([`without ${name}`, { ...message, headers: rest }])
    found.push([`with x-${name}`, { ...message, headers: { ...rest, [`x-${name}`]: message.headers[name] ?? '' } }])
  }
  const others = ['another secret of it', '', ' ', 'whsec_', 'whsec_AAAA', 'undefined'].filter(Boolean)
  for (const other of others) {
    const headers = signers[kind]?.(message.body, other, at) ?? {}
    found.push([`signed with ${JSON.stringify(other)}`, { ...message, headers }])
  }
  if (isToken) return found
  const resigned = (what: string, body: string) => found.push([what, { ...message, body }])
  for (const position of [0, 5, 20, message.body.length - 1])
    resigned(`with another byte at ${position}`, flip(message.body, position))
  resigned('with an empty body', '')
  resigned('with a space after the body', `${message.body} `)
  resigned('with a line break after the body', `${message.body}\n`)
  resigned('formatted differently', JSON.stringify(JSON.parse(message.body)))
  resigned('twice', message.body + message.body)
  if (kind === 'hmac_sha256' || kind === 'github') return found
  for (const seconds of [-301, -86_400, 301, 86_400]) {
    const headers = signers[kind]?.(message.body, secret, at + seconds) ?? {}
    found.push([`signed ${seconds} s from now`, { ...message, headers }])
  }
  const time = String(at)
  const changed = (other: string) =>
    Object.fromEntries(names.map((name) => [name, message.headers[name]?.replace(time, other) ?? '']))
  for (const other of [String(at + 1), `${at}.0`, `+${at}`, `0x${at.toString(16)}`, '', `-${at}`, `${at}000`])
    found.push([`with the time ${other}`, { ...message, headers: changed(other) }])
  return found
}

async function created(host: MemoryHost, kind: string) {
  const body = { name: kind, auth: { kind }, ...(kind !== 'none' && { secret }) }
  const { id, path } = await (await call(incoming.create, host, { body })).json()
  return { id, path_token: String(path).split('/').at(-1) ?? '' }
}

const send = (host: MemoryHost, path_token: string, { headers, body }: Message) =>
  call(incoming.receive, host, {
    params: { path_token },
    body: body === '' ? undefined : bytes(body),
    headers: { 'content-type': 'application/json', ...headers },
  })

const stored = async (host: MemoryHost) =>
  (await host.sql.read('SELECT count(*) AS count FROM incoming_deliveries'))[0]?.count

test.each(Object.keys(signers))(
  '%s: a true message is taken in, each of 25 and more mutations is a 401',
  async (kind) => {
    const host = await testHost()
    const { path_token } = await created(host, kind)
    const at = Math.floor(host.clock.now() / 1_000)
    const message = { headers: signers[kind]?.(text, secret, at) ?? {}, body: text }
    const cases = mutations(kind, message, at)
    expect(cases.length).toBeGreaterThanOrEqual(25)
    const taken: string[] = []
    for (const [what, mutated] of cases) {
      // At most 60 refusals of one address within a minute.
      const { path_token: own } = await created(host, kind)
      const { status } = await send(host, own, mutated)
      if (status !== 401) taken.push(`${what}: ${status}`)
    }
    expect(taken).toEqual([])
    expect(await stored(host)).toBe(0)

    const response = await send(host, path_token, message)
    expect(response.status).toBe(202)
    expect(await stored(host)).toBe(1)
  },
)

test('a webhook whose secret is gone takes nothing in', async () => {
  const host = await testHost()
  for (const kind of Object.keys(signers)) {
    const { id, path_token } = await created(host, kind)
    await host.sql.write([{ sql: 'UPDATE incoming_webhooks SET sealed_secret = NULL WHERE id = ?', args: [id] }])
    const at = Math.floor(host.clock.now() / 1_000)
    for (const headers of [{}, signers[kind]?.(text, secret, at) ?? {}])
      expect((await send(host, path_token, { headers, body: text })).status).toBe(401)
  }
})

test('a secret is required, and the shortest are refused', async () => {
  const host = await testHost()
  for (const kind of Object.keys(signers))
    for (const given of [undefined, '', '       ', 'short']) {
      const body = { name: kind, auth: { kind }, secret: given }
      expect((await call(incoming.create, host, { body })).status).toBe(422)
    }
})
