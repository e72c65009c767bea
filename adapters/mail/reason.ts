import type { MailServer } from '../../runtime/ports/mail.ts'

interface Reason {
  reason: string
  /** Nobody answered at this address, so another may be tried. */
  unreached: boolean
}

/** What went wrong, for the person who typed the settings: the server's own words where it said any. */
export function reasonOf(thrown: unknown, { host, port, security }: MailServer): Reason {
  const error = thrown as { code?: string; response?: string; message?: string; cause?: { code?: string } }
  const said = error.response?.trim()
  const at = `${host}:${port}`
  if (error.code === 'EAUTH')
    return answered(said ? `The server refused the login: ${said}` : 'The server takes no login of this kind')
  if (error.code === 'EENVELOPE' || error.code === 'EMESSAGE')
    return answered(`The server refused the mail: ${said ?? error.message ?? ''}`)
  if (said) return answered(`The server said: ${said}`)
  const message = error.message ?? 'no reason given'
  if (/wrong version number|packet length too long|record layer/i.test(message))
    return answered(`${at} does not begin with encryption; choose starttls instead of tls`)
  if (error.code === 'ETLS' || /certificate|self-signed|altnames/i.test(message))
    return answered(`No encrypted connection with ${at}: ${message}`)
  if (/greeting/i.test(message) && security !== 'tls')
    return answered(`${at} said nothing; a server that expects encryption at once needs tls`)
  return { reason: `${at} cannot be reached: ${message}`, unreached: true }
}

const answered = (reason: string): Reason => ({ reason, unreached: false })
