import { expect, test } from 'vitest'
import { describePlatform } from '../../../runtime/channels/connection.ts'
import { loadPlatform } from '../../../runtime/channels/platforms/index.ts'
import { PlatformId, PlatformInfo } from '../../../runtime/channels/schema.ts'

test.each(PlatformId.options)('%s describes itself', async (name) => {
  const platform = await loadPlatform(name)
  expect(platform.name).toBe(name)
  for (const [key, field] of Object.entries(platform.credentials.shape)) {
    const { title, description } = field.meta() ?? {}
    expect([key, title, description]).toEqual([key, expect.any(String), expect.any(String)])
  }
  expect(platform.setup_steps.length).toBeGreaterThan(2)
  const shown = PlatformInfo.parse(describePlatform(platform))
  expect(shown.credentials.filter(({ required }) => required).length).toBeGreaterThan(0)
  expect(shown.credentials.some(({ secret }) => secret)).toBe(true)
  // Meta alone wants a token that the person invents.
  const count = name === 'whatsapp' ? 4 : 3
  expect(shown.credentials.filter(({ advanced }) => !advanced).length).toBeLessThanOrEqual(count)
  // A platform calls the address, unless messages come over a connection.
  if (!shown.fetches_messages) expect(platform.setup_steps.join(' ')).toContain('{webhook_url}')
  expect(platform.has.typing).toBe(platform.typing !== undefined)
  expect(platform.has.files).toBe(platform.download !== undefined)
})

test.each(PlatformId.options)('every credential of %s is text', async (name) => {
  const { credentials } = await loadPlatform(name)
  const filled = Object.fromEntries(Object.keys(credentials.shape).map((key) => [key, 5]))
  expect(credentials.safeParse(filled).success).toBe(false)
})
