import { expect, test } from 'vitest'
import { createMail } from '../../../adapters/mail/mail.ts'
import { noMail } from '../../../adapters/memory/absent.ts'
import { lazyMail } from '../../../adapters/node/lazy.ts'
import { createOutbound } from '../../../adapters/outbound/outbound.ts'
import { MailRefused, type MailServer } from '../../../runtime/ports/mail.ts'
import { OutboundBlocked } from '../../../runtime/ports/outbound.ts'
import { inboxContract } from '../../contracts/mail.ts'
import { startImap, type TestImap } from '../../support/imap.ts'
import { certificate } from '../../support/smtp.ts'

const outbound = createOutbound({ resolve: async () => ['127.0.0.1'] })
const mail = createMail((host, port) => outbound.locateHost(host, port), {
  ca: certificate,
  timeout_ms: 2_000,
})
const serverAt = (port: number, own: Partial<MailServer> = {}): MailServer => ({
  host: 'mail.test',
  port,
  security: 'tls',
  username: 'ada',
  password: 'right',
  ...own,
})
const query = { after: null, max_mails: 10, max_bytes: 1_000 }

inboxContract(async (mails) => {
  const imap = await startImap()
  imap.mails.push(
    ...mails.map((mail, index) => ({ uid: index + 1, ...(typeof mail === 'string' ? { raw: mail } : mail) })),
  )
  return {
    mail,
    server: serverAt(imap.port),
    deliver: imap.deliver,
    [Symbol.asyncDispose]: () => imap[Symbol.asyncDispose](),
  }
})

test('over STARTTLS, or unencrypted if a person chose that', async () => {
  await using upgraded = await startImap({ security: 'starttls' })
  await using plain = await startImap({ security: 'none' })
  expect(await mail.receive(query, serverAt(upgraded.port, { security: 'starttls' }))).toMatchObject({
    next: { uid: 0 },
  })
  expect(await mail.receive(query, serverAt(plain.port, { security: 'none' }))).toMatchObject({
    next: { uid: 0 },
  })
})

test('a server without STARTTLS does not receive the password', async () => {
  await using imap = await startImap({ security: 'none' })
  await expect(mail.receive(query, serverAt(imap.port, { security: 'starttls' }))).rejects.toThrow(MailRefused)
  expect(imap.commands.join('\n')).not.toContain('right')
})

test('opens the inbox for reading only', async () => {
  await using imap = await startImap()
  imap.mails.push({ uid: 1, raw: 'Subject: x\r\n\r\nhello' })
  await mail.receive({ ...query, after: { uid_validity: '7', uid: 0 } }, serverAt(imap.port))
  expect(imap.commands).toContain('EXAMINE INBOX')
  expect(imap.commands.filter((command) => /SELECT|STORE|BODY\[/.test(command))).toEqual([])
})

test("a wrong password is reported with the server's words and without the password", async () => {
  await using imap = await startImap()
  const reading = mail.receive(query, serverAt(imap.port, { password: 'wrong-password' }))
  await expect(reading).rejects.toThrow('The server refused the sign-in: That is not your password')
})

test.each([
  ['nothing listens', {}, 'cannot be reached'],
  ['the certificate is for another name', { host: 'other.test' }, 'encrypted connection'],
])('%s', async (_, own, said) => {
  await using imap = await startImap()
  const port = said === 'cannot be reached' ? 1 : imap.port
  const failed = mail.receive(query, serverAt(port, own))
  await expect(failed).rejects.toThrow(MailRefused)
  await expect(failed).rejects.toThrow(said)
})

test('a host that is blocked is never connected', async () => {
  await using imap = await startImap()
  const guard = createOutbound({ resolve: async () => ['169.254.169.254'] })
  const guarded = createMail((host, port) => guard.locateHost(host, port))
  await expect(guarded.receive(query, serverAt(imap.port))).rejects.toThrow(OutboundBlocked)
})

/** Watches the inbox, and calls the steps one after another after each time it was read. */
async function watch(imap: TestImap, steps: (() => void)[], own: Partial<MailServer> = {}) {
  const stop = new AbortController()
  const uids: number[] = []
  const after = { uid_validity: '7', uid: 0 }
  for await (const { mails } of mail.watch({ ...query, after }, serverAt(imap.port, own), stop.signal)) {
    uids.push(...mails.map(({ uid }) => uid))
    // Before a pause, the inbox was read without a new email.
    if (mails.length === 0) setImmediate(steps.shift() ?? (() => stop.abort(new Error('enough'))))
  }
  return uids
}

test('an email is read when the server announces it', async () => {
  await using imap = await startImap()
  const waits = () => imap.commands.filter((command) => command === 'IDLE').length
  const deliver = async () => {
    await expect.poll(waits).toBeGreaterThan(0)
    imap.deliver('Subject: x\r\n\r\nhello')
  }
  await expect(watch(imap, [deliver])).rejects.toThrow('enough')
  expect(imap.commands.filter((command) => command.startsWith('UID FETCH 1 '))).toHaveLength(1)
  expect(imap.commands).not.toContain('NOOP')
})

test('a server that does not announce emails is asked for them', async () => {
  await using imap = await startImap({ idle: false })
  const deliver = () => imap.deliver('Subject: x\r\n\r\nhello')
  await expect(watch(imap, [deliver])).rejects.toThrow('enough')
  expect(imap.commands).toContain('NOOP')
  expect(imap.commands).not.toContain('IDLE')
})

test('watching ends with the connection, and when the emails are numbered again', async () => {
  await using imap = await startImap()
  expect(await watch(imap, [() => imap.cut()])).toEqual([])
  imap.deliver('Subject: x\r\n\r\nhello')
  const renumber = async () => {
    imap.uid_validity = 8
    imap.deliver('Subject: x\r\n\r\nhello')
  }
  expect(await watch(imap, [renumber])).toEqual([1])
})

test('a mail port that is loaded with its first call refuses in the same way', async () => {
  const guard = createOutbound({ resolve: async () => ['169.254.169.254'] })
  const lazy = lazyMail(guard)
  const watching = async () => {
    for await (const _ of lazy.watch(query, serverAt(993), new AbortController().signal)) return
  }
  await expect(watching()).rejects.toThrow(OutboundBlocked)
  await expect(lazy.receive(query, serverAt(993))).rejects.toThrow(OutboundBlocked)
})

test('ends when it is aborted', async () => {
  await using imap = await startImap({ silent: true })
  const stop = new AbortController()
  const reading = mail.receive(query, serverAt(imap.port, { security: 'none' }), stop.signal)
  setImmediate(() => stop.abort(new Error('enough')))
  await expect(reading).rejects.toThrow('enough')
})

test('other hosts refuse', async () => {
  await expect(noMail.receive(query, serverAt(993))).rejects.toMatchObject({
    status: 503,
    code: 'unsupported',
  })
})
