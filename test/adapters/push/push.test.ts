import { createECDH, randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { push } from '../../../adapters/push/push.ts'

/** Has no types. */
const ece = createRequire(import.meta.url)('http_ece')

const browser = createECDH('prime256v1')
const p256dh = browser.generateKeys('base64url')
const secret = randomBytes(16).toString('base64url')
const target = { endpoint: 'https://push.example/abc', keys: { p256dh, auth: secret } }
const message = {
  ...{ payload: '{"title":"Tea"}', subject: 'mailto:push@hearthd.invalid' },
  ...{ ttl_seconds: 60, urgency: 'high' as const },
}

test('the browser can read the message, and the push service can verify who sends it', async () => {
  const keys = await push.generateKeys()
  const { url, headers, body } = await push.request(target, message, keys)
  expect(url).toBe(target.endpoint)
  expect(headers).toMatchObject({ ttl: '60', urgency: 'high', 'content-encoding': 'aes128gcm' })
  expect(headers).not.toHaveProperty('content-length')
  const read = ece.decrypt(Buffer.from(body), {
    version: 'aes128gcm',
    privateKey: browser,
    authSecret: secret,
  })
  expect(read.toString()).toBe(message.payload)

  const token = /t=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? ''
  expect(decodeProtectedHeader(token).alg).toBe('ES256')
  const point = Buffer.from(keys.public_key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const key = await importJWK({ kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, 'ES256')
  const { payload } = await jwtVerify(token, key)
  expect(payload).toMatchObject({ aud: 'https://push.example', sub: message.subject })
})

test('keys that are not valid are refused', async () => {
  const keys = await push.generateKeys()
  const wrong = { ...target, keys: { p256dh: 'AAAA', auth: secret } }
  await expect(push.request(wrong, message, keys)).rejects.toThrow('65 bytes')
})
