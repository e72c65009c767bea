import { expect, test } from 'vitest'
import { redact, redacted, redactForms } from '../../runtime/secrets/redact.ts'

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'
const pem = '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----'

test.each([
  ['the key sk-proj-abcdefghijklmnop123 works', 'the key [redacted] works'],
  ['sk-ant-api03-AbCdEfGhIjKlMnOp', '[redacted]'],
  [`svc_${'0123456789abcdef'.repeat(4)}`, '[redacted]'],
  [`use ghp_${'a1B2'.repeat(9)} for git`, 'use [redacted] for git'],
  ['AKIAIOSFODNN7EXAMPLE', '[redacted]'],
  [`AIza${'x'.repeat(35)}`, '[redacted]'],
  ['xoxb-123456789012-abcdefghij', '[redacted]'],
  ['sk_live_4eC39HqLyjWDarjtT1zdp7dc', '[redacted]'],
  [jwt, '[redacted]'],
  [pem, '[redacted]'],
  ['Authorization: Bearer abc123def456', 'Authorization: Bearer [redacted]'],
  ['my password is hunter2.', 'my password is [redacted].'],
  ['Password: "correct horse"', 'Password: [redacted]'],
  ['DB_PASSWORD=s3cr3t!x', 'DB_PASSWORD=[redacted]'],
  ['the Wi-Fi passphrase: tulips42', 'the Wi-Fi passphrase: [redacted]'],
  ['"api_key": "0a1b2c3d4e"', '"api_key": [redacted]'],
  ['the token is 8f7e6d5c', 'the token is [redacted]'],
  ['my pin is 4711', 'my pin is [redacted]'],
  ['postgres://app:hunter2@db.local/main', 'postgres://app:[redacted]@db.local/main'],
  ['card 4111 1111 1111 1111 until 12/29', 'card [redacted] until 12/29'],
  ['5555-5555-5555-4444', '[redacted]'],
])('%s', (text, clean) => {
  expect(redact(text)).toBe(clean)
})

test.each([
  'The password is wrong',
  'the token is still missing',
  'I need a new password for the router',
  'call me on +49 170 1234567 or 030 123456',
  'order 1234 5678 9012 3456 arrived',
  'a secret garden is in the book',
  'my basket has 16 apples',
  'The key to success is patience',
  'flight 0000 0000 0000 0000',
  'https://example.com/a:b@c is odd',
])('stays: %s', (text) => {
  expect(redact(text)).toBe(text)
})

test.each([
  `svc_${'0'.repeat(16)}`,
  `whsec_${'a'.repeat(16)}`,
  '-----BEGIN PRIVATE KEY-----',
  `sk-${'0'.repeat(12)}`,
  `gsk_${'0'.repeat(12)}`,
  `AIza${'0'.repeat(20)}`,
  `gho_${'0'.repeat(20)}`,
  `github_pat_${'0'.repeat(20)}`,
  `glpat-${'0'.repeat(16)}`,
  `xoxb-${'0'.repeat(10)}`,
  `pk_test_${'0'.repeat(10)}`,
  `ASIA${'0'.repeat(16)}`,
  `hf_${'0'.repeat(20)}`,
  'eyJhbGciOiJ.abcdefgh',
])('the shortest credential of a form is redacted: %s', (text) => {
  expect(redactForms(text)).toBe(redacted)
})
