import { expect, test } from 'vitest'
import { create as remember } from '../../handlers/memory/episodes.ts'
import { bundle } from '../../handlers/settings/general.ts'
import { sections } from '../../handlers/settings/sections.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'

test('diagnostics have counts, switches and failures, but no secret and no text of people', async () => {
  const host = await testHost()
  const body = { host: 'canary.example.com', username: 'canary', password: 'canary-password-1' }
  expect((await call(sections.email.update, host, { body })).status).toBe(200)
  await call(sections.security.update, host, {
    body: { redact_patterns: ['canary-\\d'], blocked_commands: ['canary --now'], session_hours: 3 },
  })
  await call(sections.sandbox.update, host, { body: { env: { TOKEN: 'canary-environment' } } })
  await call(remember, host, { body: { content: 'The canary sings in Anna’s kitchen' } })
  host.log.write('error', 'sk-canary0123456789abcdef was refused with Bearer canarycanarycanary')
  host.log.write('info', 'canary at work')
  host.log.write('warn', 'the disk is slow')

  const response = await call(bundle, host)
  expect(response.headers.get('content-disposition')).toContain('hearthd-diagnostics-')
  const text = await response.text()
  expect(text).not.toMatch(/canary/i)
  expect(JSON.parse(text)).toMatchObject({
    format: 'hearthd.diagnostics',
    rows: { episodes: 1 },
    settings: { security: { session_hours: 3, blocked_commands: '(1 entries)' }, email: { host: '(text)' } },
    log: [expect.stringContaining('was refused'), expect.stringContaining('the disk is slow')],
  })
})
