import { describe, expect, test } from 'vitest'
import type { Secrets } from '../../runtime/ports/secrets.ts'

const key = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'

/** Sealed by a host of ours; every other host must read it as long as databases with it exist. */
const sealedForTest = 'v1.djbnVkAQ.R4yx-TVVO8tpT-eD.B2hoyEEOHjyQYy2Kuz0szzq9fsyb2YuJC5Qt'

/** What all cryptography that a host lends must do. `create` takes the text of `SERVICE_SECRET_KEY`. */
export function secretsContract(create: (master_key: string) => Secrets): void {
  const secrets = create(key)

  describe('sha256', () => {
    test.each([
      ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
      ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
      ['grüße 🔥', '5b5b4aec7158efea27f2ed0d911a15d35308f120c63515ef7085ff61f2ade48a'],
    ])('of %j is the standard digest of its UTF-8', (text, digest) => {
      expect(secrets.sha256(text)).toBe(digest)
    })
  })

  describe('equal', () => {
    test.each([
      ['', '', true],
      ['token', 'token', true],
      ['grüße', 'grüße', true],
      ['token', 'tokem', false],
      ['token', 'token ', false],
      ['', 'a', false],
    ])('%j and %j: %s', (left, right, same) => {
      expect(secrets.equal(left, right)).toBe(same)
    })
  })

  describe('random', () => {
    test('is lower-case hex of the requested length and never repeats', () => {
      const values = Array.from({ length: 200 }, () => secrets.random(16))

      expect(values.every((value) => /^[0-9a-f]{32}$/.test(value))).toBe(true)
      expect(new Set(values).size).toBe(200)
    })
  })

  describe('seal and open', () => {
    test.each(['sk-test-123', '', 'grüße 🔥', '\ufeffbyte order mark', 'a\u0000b', 'x'.repeat(100_000)])(
      'returns %j',
      async (plain) => {
        expect(await secrets.open(await secrets.seal(plain, 'provider_key'), 'provider_key')).toBe(plain)
      },
    )

    test('the sealed text has four parts, differs each time and reveals nothing of the plaintext', async () => {
      const [first, second] = [await secrets.seal('sk-test-123', 'p'), await secrets.seal('sk-test-123', 'p')]

      expect(first).toMatch(/^v1\.[\w-]{8}\.[\w-]{16}\.[\w-]+$/)
      expect(first).not.toBe(second)
      expect(first).not.toContain('sk-test')
    })

    test('refuses another purpose', async () => {
      const sealed = await secrets.seal('secret', 'provider_key')

      await expect(secrets.open(sealed, 'webhook_secret')).rejects.toThrow('another purpose')
    })

    test('refuses another key', async () => {
      const sealed = await create('another master key text').seal('secret', 'p')

      await expect(secrets.open(sealed, 'p')).rejects.toThrow('another master key')
    })

    test('refuses any single changed character', async () => {
      const sealed = await secrets.seal('secret', 'p')
      const changed = [...sealed].map((character, index) => {
        const other = character === 'A' ? 'B' : 'A'
        return sealed.slice(0, index) + other + sealed.slice(index + 1)
      })
      const outcomes = await Promise.allSettled(changed.map((text) => secrets.open(text, 'p')))

      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toEqual([])
    })

    test.each([
      '',
      'v1',
      'v1...',
      'plain text',
      'v2.a.b.c',
      'v1.djbnVkAQ.AAAA.AAAA',
      `${sealedForTest}.x`,
      `${sealedForTest}==`,
    ])('refuses %j', async (text) => {
      await expect(secrets.open(text, 'test')).rejects.toThrow()
    })

    test('opens text sealed by another host under the same key', async () => {
      expect(await secrets.open(sealedForTest, 'test')).toBe('sealed once')
    })

    test('derives the same key from the same text', async () => {
      const [one, other] = [create('correct horse battery'), create(' correct horse battery\n')]

      expect(await other.open(await one.seal('secret', 'p'), 'p')).toBe('secret')
    })

    test('refuses a master key that is too short', () => {
      expect(() => create('hunter2')).toThrow('at least 16 characters')
    })
  })

  describe('passwords', () => {
    test('a hash verifies only its own password, and contains its parameters', async () => {
      const hash = await secrets.hashPassword('correct horse')

      expect(hash).toMatch(/^\$(argon2id\$v=19\$m=\d+,t=\d+,p=\d+|scrypt\$ln=\d+,r=\d+,p=\d+)\$[\w+/]{22}\$[\w+/]{43}$/)
      expect(await secrets.verifyPassword('correct horse', hash)).toBe(true)
      expect(await secrets.verifyPassword('correct horsf', hash)).toBe(false)
      expect(await secrets.verifyPassword('', hash)).toBe(false)
    })

    test('two hashes of one password are different', async () => {
      expect(await secrets.hashPassword('same')).not.toBe(await secrets.hashPassword('same'))
    })

    test('composed and decomposed letters are the same password', async () => {
      expect(await secrets.verifyPassword('cafe\u0301', await secrets.hashPassword('caf\u00e9'))).toBe(true)
    })

    test.each([
      ['the reference implementation of Argon2', 'password', argon2Vector],
      ['RFC 7914, section 12', 'pleaseletmein', scryptVector],
    ])('verifies the vector of %s', async (_, password, hash) => {
      expect(await secrets.verifyPassword(password, hash)).toBe(true)
      expect(await secrets.verifyPassword(`${password}x`, hash)).toBe(false)
    })

    test.each([
      '',
      'plain',
      '$argon2id$',
      argon2Vector.slice(0, -1),
      `${argon2Vector}$x`,
      argon2Vector.replace('argon2id', 'argon2d'),
      argon2Vector.replace('v=19', 'v=16'),
      argon2Vector.replace('m=256', 'm=999999'),
      argon2Vector.replace('m=256', 'm=1'),
      argon2Vector.replace('t=2', 't=0'),
      argon2Vector.replace('p=1', 'p=0'),
      scryptVector.replace('ln=14', 'ln=99'),
      scryptVector.replace('ln=14', 'ln=0'),
      '$scrypt$ln=14,r=8,p=1$$',
      '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$',
    ])('%j is no hash that anything verifies', async (hash) => {
      expect(await secrets.verifyPassword('password', hash)).toBe(false)
    })
  })
}

const argon2Vector = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
const scryptVector =
  '$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw'
