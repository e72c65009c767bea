import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures/mail', name), 'utf8')

/** The certificate of the test server, for `mail.test` and 127.0.0.1. */
export const certificate = fixture('certificate.pem')

export interface TestSmtp extends AsyncDisposable {
  port: number
  mails: { from: string; to: string[]; text: string; user: string | undefined; encrypted: boolean }[]
}

/** A mail server on the loopback that knows one person, ada with the password right. */
export async function startSmtp(options: SMTPServerOptions = {}): Promise<TestSmtp> {
  const mails: TestSmtp['mails'] = []
  const server = new SMTPServer({
    key: fixture('key.pem'),
    cert: certificate,
    authOptional: true,
    onAuth({ username, password }, _, done) {
      if (username === 'ada' && password === 'right') done(null, { user: username })
      else done(new Error('5.7.8 That is not your password'))
    },
    onRcptTo({ address }, _, done) {
      done(address.startsWith('nobody@') ? new Error('5.1.1 No such mailbox') : null)
    },
    onData(stream, session, done) {
      text(stream).then((content) => {
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          text: content,
          user: session.user,
          encrypted: session.secure,
        })
        done()
      }, done)
    },
    ...options,
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
