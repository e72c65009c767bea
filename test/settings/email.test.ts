import { expect, test } from 'vitest'
import { createMail } from '../../adapters/mail/mail.ts'
import { noMail } from '../../adapters/memory/absent.ts'
import { list, testMail as tryIt } from '../../handlers/settings/general.ts'
import { sections } from '../../handlers/settings/sections.ts'
import { call } from '../support/call.ts'
import { adminCaller, testHost } from '../support/host.ts'
import { certificate, startSmtp } from '../support/smtp.ts'

const { show, update } = sections.email

const mail = createMail(async () => ['127.0.0.1'], { ca: certificate, timeout_ms: 2_000 })

test('a password is sealed, and never shown', async () => {
  const host = await testHost()
  const body = {
    host: 'mail.test',
    from: 'hearth@example.com',
    username: 'ada',
    password: 'the-mail-password',
  }
  const answer = await (await call(update, host, { body })).text()
  const everything = answer + (await (await call(list, host)).text()) + (await (await call(show, host)).text())
  expect(everything).not.toContain('the-mail-password')
  expect(JSON.parse(answer).password).toEqual({ configured: true, hint: '…word' })
  const rows = await host.sql.read('SELECT value FROM settings')
  expect(JSON.stringify(rows)).not.toContain('the-mail-password')
})

test('a password is kept only for the server it was given for', async () => {
  const host = await testHost()
  await call(update, host, { body: { host: 'mail.test', password: 'the-mail-password' } })
  await call(update, host, { body: { port: 2_525 } })
  expect((await (await call(show, host)).json()).password.configured).toBe(true)
  await call(update, host, { body: { host: 'elsewhere.test' } })
  expect((await (await call(show, host)).json()).password).toEqual({ configured: false, hint: null })
})

test('null removes the password', async () => {
  const host = await testHost()
  await call(update, host, { body: { host: 'mail.test', password: 'the-mail-password' } })
  const shown = await (await call(update, host, { body: { password: null } })).json()
  expect(shown.password.configured).toBe(false)
})

test('the test sends a real mail to the sender or a given address', async () => {
  await using smtp = await startSmtp()
  const host = await testHost({ mail })
  const body = {
    host: 'mail.test',
    port: smtp.port,
    username: 'ada',
    password: 'right',
    from: 'Hearth <h@example.com>',
  }
  await call(update, host, { body })
  expect(await (await call(tryIt, host)).json()).toMatchObject({ ok: true, to: 'h@example.com', error: null })
  await call(tryIt, host, { body: { to: 'ada@example.com' } })
  expect(smtp.mails.map(({ to }) => to)).toEqual([['h@example.com'], ['ada@example.com']])
})

test("the test reports the server's response", async () => {
  await using smtp = await startSmtp()
  const host = await testHost({ mail })
  const body = {
    host: 'mail.test',
    port: smtp.port,
    username: 'ada',
    password: 'wrong',
    from: 'h@example.com',
  }
  await call(update, host, { body })
  const result = await (await call(tryIt, host)).json()
  expect(result).toMatchObject({ ok: false, message_id: null })
  expect(result.error).toContain('That is not your password')
})

test('without a server, without permission, or on a host without mail: refused', async () => {
  const host = await testHost({ mail: noMail })
  expect((await call(tryIt, host)).status).toBe(422)
  const caller = { ...adminCaller, scopes: ['read', 'write'] as const }
  expect((await call(update, host, { body: { port: 25 }, caller })).status).toBe(403)
  expect((await call(tryIt, host, { caller })).status).toBe(403)
  await call(update, host, { body: { host: 'mail.test', from: 'h@example.com' } })
  expect((await call(tryIt, host)).status).toBe(503)
})

test.each([
  ['a header in the sender', { from: 'a@b.c\r\nBcc: eve@example.com' }],
  ['an address in the host', { host: 'http://mail.test/' }],
  ['a port that is none', { port: 70_000 }],
  ['an unknown encryption', { security: 'ssl' }],
  ['what is shown of a password', { password: { configured: true, hint: null } }],
])('refuses %s', async (_, body) => {
  expect((await call(update, await testHost(), { body })).status).toBe(422)
})
