import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { createMail } from '../../../adapters/mail/mail.ts'
import { createOutbound } from '../../../adapters/outbound/outbound.ts'
import type { MailServer } from '../../../runtime/ports/mail.ts'
import { MailRefused } from '../../../runtime/ports/mail.ts'
import { OutboundBlocked } from '../../../runtime/ports/outbound.ts'
import { certificate, startSmtp } from '../../support/smtp.ts'

const outbound = createOutbound({ resolve: async () => ['127.0.0.1'] })
const mail = createMail((host, port) => outbound.locateHost(host, port), {
  ca: certificate,
  timeout_ms: 2_000,
})
const message = {
  from: 'Hearth <hearth@example.com>',
  to: ['ada@example.com'],
  subject: 'Grüße',
  text: 'Hello',
}
const serverAt = (port: number, own: Partial<MailServer> = {}): MailServer => ({
  host: 'mail.test',
  port,
  security: 'starttls',
  ...own,
})
const login = { username: 'ada', password: 'right' }

test('sends over STARTTLS with a login, to the checked address', async () => {
  await using smtp = await startSmtp()
  const sent = await mail.send(message, serverAt(smtp.port, login))
  expect(sent).toMatchObject({ accepted: ['ada@example.com'], rejected: [] })
  expect(smtp.mails).toMatchObject([
    { from: 'hearth@example.com', to: ['ada@example.com'], user: 'ada', encrypted: true },
  ])
  expect(smtp.mails[0]?.text).toContain(`Message-ID: ${sent.message_id}`)
  expect(smtp.mails[0]?.text).toContain('Auto-Submitted: auto-generated')
})

test('sends over TLS from the first byte, or unencrypted if a person chose that', async () => {
  await using secure = await startSmtp({ secure: true })
  await using plain = await startSmtp({ hideSTARTTLS: true })
  await mail.send(message, serverAt(secure.port, { ...login, security: 'tls' }))
  await mail.send(message, serverAt(plain.port, { security: 'none' }))
  expect(secure.mails).toMatchObject([{ encrypted: true }])
  expect(plain.mails).toMatchObject([{ encrypted: false }])
})

test('a server without STARTTLS receives neither password nor mail', async () => {
  const asked: string[] = []
  await using smtp = await startSmtp({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username = '' }, _, done) {
      asked.push(username)
      done(null, { user: username })
    },
  })
  await expect(mail.send(message, serverAt(smtp.port, login))).rejects.toThrow(MailRefused)
  expect([asked, smtp.mails]).toEqual([[], []])
})

test.each([
  [
    'a wrong password in the words of the server',
    { ...login, password: 'wrong' },
    'ada@example.com',
    /refused the sign-in: .*That is not your password/,
  ],
  ['a mailbox that is not there', login, 'nobody@example.com', /refused the mail: .*No such mailbox/],
  ['the wrong kind of encryption', { security: 'tls' }, 'ada@example.com', /choose starttls instead of tls/],
] as const)('says %s', async (_, own, to, words) => {
  await using smtp = await startSmtp()
  const sending = mail.send({ ...message, to: [to] }, serverAt(smtp.port, own))
  await expect(sending).rejects.toThrow(MailRefused)
  await expect(sending).rejects.toThrow(words)
  expect(smtp.mails).toEqual([])
})

test('an untrusted certificate is refused', async () => {
  await using smtp = await startSmtp()
  const trusting = createMail(async () => ['127.0.0.1'], { timeout_ms: 2_000 })
  await expect(trusting.send(message, serverAt(smtp.port))).rejects.toThrow(/Cannot establish an encrypted connection/)
})

test('a certificate for another name is refused', async () => {
  await using smtp = await startSmtp()
  await expect(mail.send(message, serverAt(smtp.port, { host: 'other.test' }))).rejects.toThrow(
    /Cannot establish an encrypted connection/,
  )
})

test('tries the next address if the first does not respond', async () => {
  await using smtp = await startSmtp()
  const several = createMail(async () => ['127.0.0.2', '127.0.0.1'], { ca: certificate, timeout_ms: 2_000 })
  expect(await several.send(message, serverAt(smtp.port))).toMatchObject({ accepted: ['ada@example.com'] })
})

test('a closed port and an unresolvable name are reported', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  await expect(mail.send(message, serverAt(port))).rejects.toThrow(/cannot be reached/)
  const lost = createOutbound({ resolve: async () => [] })
  const nowhere = createMail((host, at) => lost.locateHost(host, at))
  await expect(nowhere.send(message, serverAt(port))).rejects.toThrow(/was not found/)
})

test('the blocklist and the metadata services stay blocked', async () => {
  const guard = createOutbound({
    resolve: async (host) => [host === 'meta.test' ? '169.254.169.254' : '10.0.0.9'],
    blocklist: ['10.0.0.0/8'],
  })
  const guarded = createMail((host, port) => guard.locateHost(host, port))
  await expect(guarded.send(message, serverAt(25, { host: 'meta.test' }))).rejects.toThrow(OutboundBlocked)
  await expect(guarded.send(message, serverAt(25, { host: 'mail.test' }))).rejects.toThrow(OutboundBlocked)
})

test('a line break in a subject or a name adds no header', async () => {
  await using smtp = await startSmtp()
  await mail.send({ ...message, subject: 'Hi\r\nBcc: eve@example.com' }, serverAt(smtp.port))
  expect(smtp.mails[0]?.to).toEqual(['ada@example.com'])
  expect(smtp.mails[0]?.text).not.toMatch(/^Bcc:/m)
})
