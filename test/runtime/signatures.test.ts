import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { fromBase64 } from '../../runtime/secrets/base64.ts'
import {
  equalConstantTime,
  fromHex,
  hmacSha256,
  isRecent,
  signStandard,
  toHex,
  toPaddedBase64,
  verifyStandard,
} from '../../runtime/secrets/signatures.ts'

/** https://github.com/standard-webhooks/standard-webhooks, the test of its libraries. */
const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  message: { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' },
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}
const now = vector.message.timestamp * 1000

test('HMAC-SHA256 as in RFC 4231, and as node computes it', async () => {
  expect(toHex(await hmacSha256('Jefe', 'what do ya want for nothing?'))).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  )
  const bytes = Uint8Array.from({ length: 1_000 }, (_, at) => (at * 7) % 256)
  expect(toHex(await hmacSha256(bytes, bytes))).toBe(createHmac('sha256', bytes).update(bytes).digest('hex'))
  await expect(hmacSha256('', 'text')).rejects.toThrow('empty')
})

test('values are equal only if every byte is, and empty ones never', () => {
  expect(equalConstantTime('abc', 'abc')).toBe(true)
  for (const [left, right] of [
    ['abc', 'abd'],
    ['abc', 'ab'],
    ['ab', 'abc'],
    ['abcabc', 'abc'],
    ['', ''],
    ['', 'abc'],
    ['abc', ''],
  ] as const)
    expect(equalConstantTime(left, right)).toBe(false)
})

test('hex is read only in its canonical form, and base64 is written with its padding', () => {
  expect(fromHex('00ff')).toEqual(Uint8Array.of(0, 255))
  for (const text of ['0', '0g', '0F', ' 00']) expect(fromHex(text)).toBeNull()
  expect(toPaddedBase64(Uint8Array.of(1))).toBe('AQ==')
  expect(fromBase64('AQ')).toEqual(Uint8Array.of(1))
  for (const text of ['AQ==', 'AR', 'AQ=', 'A', 'A===', '====']) expect(fromBase64(text)).toBeNull()
})

test('signs and verifies the official message of Standard Webhooks', async () => {
  const signed = await signStandard([vector.secret], vector.message)
  expect(signed['webhook-signature']).toBe(vector.signature)
  const body = new TextEncoder().encode(vector.message.body)
  const verify = (secret: string, changed: Record<string, string> = {}, at = now) =>
    verifyStandard(secret, { headers: new Headers({ ...signed, ...changed }), body, now: at })
  expect(await verify(vector.secret)).toBe(true)
  expect(await verify(vector.secret, { 'webhook-signature': `v1,AAAA ${vector.signature}` })).toBe(true)
  for (const secret of ['', 'whsec_', 'whsec_AAAA', `${vector.secret}A`]) expect(await verify(secret)).toBe(false)
  expect(await verify(vector.secret, { 'webhook-signature': vector.signature.replace('v1', 'v2') })).toBe(false)
  expect(await verify(vector.secret, { 'webhook-id': 'msg_other' })).toBe(false)
  expect(await verify(vector.secret, {}, now + 301_000)).toBe(false)
})

test('two secrets give two signatures, none gives none', async () => {
  const both = await signStandard([vector.secret, 'a plain secret'], vector.message)
  expect(both['webhook-signature']?.split(' ')).toHaveLength(2)
  expect(both['webhook-signature']).toContain(vector.signature)
  expect(await signStandard([], vector.message)).not.toHaveProperty('webhook-signature')
})

test('a time is recent only within its tolerance, and only as digits', () => {
  expect(isRecent('1614265330', now)).toBe(true)
  expect(isRecent('1614265030', now)).toBe(true)
  for (const text of ['1614265029', '1614265631', '', '-1614265330', '1614265330.0', ' 1614265330', '1e9'])
    expect(isRecent(text, now)).toBe(false)
})
