import type { MailServer } from '../../ports/mail.ts'

type Place = Pick<MailServer, 'host' | 'port' | 'security'>

export interface MailServers {
  imap: Place
  smtp: Place
  /** The name with which the provider marks checked senders, if it has only one. */
  authserv_id?: string
}

export const defaultSmtp = (host: string): Place => ({ host, port: 465, security: 'tls' })

const tls = (imap: string, smtp: string): MailServers => ({
  imap: { host: imap, port: 993, security: 'tls' },
  smtp: defaultSmtp(smtp),
})

/** With an SMTP server that encrypts after the connection was opened. */
const starttls = (imap: string, smtp: string): MailServers => ({
  ...tls(imap, smtp),
  smtp: { host: smtp, port: 587, security: 'starttls' },
})

const google = { ...tls('imap.gmail.com', 'smtp.gmail.com'), authserv_id: 'mx.google.com' }
const apple = starttls('imap.mail.me.com', 'smtp.mail.me.com')

/** Providers whose servers are not called `imap.` and `smtp.`, by the domain of the address. */
const providers = new Map<string, MailServers>([
  ['gmail.com', google],
  ['googlemail.com', google],
  ['icloud.com', apple],
  ['me.com', apple],
  ['mac.com', apple],
  ['yahoo.com', tls('imap.mail.yahoo.com', 'smtp.mail.yahoo.com')],
  ['gmx.net', tls('imap.gmx.net', 'mail.gmx.net')],
  ['gmx.de', tls('imap.gmx.net', 'mail.gmx.net')],
  ['gmx.at', tls('imap.gmx.net', 'mail.gmx.net')],
  ['gmx.ch', tls('imap.gmx.net', 'mail.gmx.net')],
  ['gmx.com', tls('imap.gmx.com', 'mail.gmx.com')],
  ['web.de', starttls('imap.web.de', 'smtp.web.de')],
])

/** The servers of an address, for settings that a person left empty. */
export function serversOf(address: string): MailServers {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase()
  return providers.get(domain) ?? tls(`imap.${domain}`, `smtp.${domain}`)
}

/** The name with which the provider at this IMAP server marks checked senders; empty if it is not known. */
export const checkerAt = (imap_host: string): string =>
  [...providers.values()].find(({ imap }) => imap.host === imap_host)?.authserv_id ?? ''
