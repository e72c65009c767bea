import { expect, test } from 'vitest'
import { createMemorySecrets } from '../../../adapters/memory/secrets.ts'
import { secretsContract } from '../../contracts/secrets.ts'

secretsContract((master_key) => createMemorySecrets({ master_key, cheap: true }))

test('without a key text, each instance has its own key', async () => {
  const sealed = await createMemorySecrets().seal('secret', 'p')

  await expect(createMemorySecrets().open(sealed, 'p')).rejects.toThrow('another master key')
})

test("hashes with OWASP's parameters by default", async () => {
  const secrets = createMemorySecrets()
  const hash = await secrets.hashPassword('correct horse')

  expect(hash).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$/)
  expect(await secrets.verifyPassword('correct horse', hash)).toBe(true)
})
