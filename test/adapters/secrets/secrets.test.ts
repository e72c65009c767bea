import { expect, test } from 'vitest'
import { createMemorySecrets } from '../../../adapters/memory/secrets.ts'
import { createLimiter, openSecrets } from '../../../adapters/secrets/secrets.ts'
import { secretsContract } from '../../contracts/secrets.ts'

const master_key = 'ab'.repeat(32)

secretsContract((text) => openSecrets({ master_key: text }))

test("hashes with argon2id and OWASP's parameters", async () => {
  expect(await openSecrets({ master_key }).hashPassword('correct horse')).toMatch(
    /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/,
  )
})

test('the portable host opens what Node sealed, and vice versa', async () => {
  for (const text of [master_key, 'a text that is no hex']) {
    const [node, portable] = [openSecrets({ master_key: text }), createMemorySecrets({ master_key: text })]

    expect(await portable.open(await node.seal('grüße', 'p'), 'p')).toBe('grüße')
    expect(await node.open(await portable.seal('grüße', 'p'), 'p')).toBe('grüße')
  }
})

test('the portable host verifies what Node hashed', async () => {
  const hash = await openSecrets({ master_key }).hashPassword('correct horse')

  expect(await createMemorySecrets().verifyPassword('correct horse', hash)).toBe(true)
})

test('requires a key from some source', () => {
  expect(() => openSecrets({})).toThrow('a data folder or SERVICE_SECRET_KEY')
})

test('of 80 passwords at once, two run, 64 wait and the rest are refused with 429', async () => {
  const secrets = openSecrets({ master_key })
  const outcomes = await Promise.allSettled(Array.from({ length: 80 }, () => secrets.hashPassword('password')))
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason.status)

  expect(refused).toEqual(Array(14).fill(429))
})

test('a limiter runs no more jobs than allowed, and a failed job frees its slot', async () => {
  const limited = createLimiter(2, 10)
  let inside = 0
  let most = 0
  const job = async () => {
    inside += 1
    most = Math.max(most, inside)
    await new Promise(setImmediate)
    inside -= 1
    throw new Error('failed')
  }
  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => limited(job)))

  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
  expect(most).toBe(2)
  await expect(limited(async () => 'free')).resolves.toBe('free')
})
