import { setTimeout as sleep } from 'node:timers/promises'
import { ImapFlow } from 'imapflow'
import { type Inbox, type InboxMail, type InboxQuery, MailRefused, type MailServer } from '../../runtime/ports/mail.ts'
import { day, minute } from '../../runtime/time.ts'
import type { MailSettings } from './mail.ts'

interface Reading {
  addresses: readonly string[]
  server: MailServer
  settings: MailSettings
  signal?: AbortSignal | undefined
}

const defaultTimeout = 15_000
/** Milliseconds between two requests to a server that does not announce emails. */
const pollInterval = minute
/** After this time, the inbox is read although nothing was announced. In milliseconds. */
const maxWait = 5 * minute
/** Bytes for the protocol lines around an email in a response. */
const framing = 64 * 1024

/** Reads the new emails of an inbox, trying the addresses in order until one responds. */
export async function readInbox(query: InboxQuery, reading: Reading): Promise<Inbox> {
  const client = await signIn(query, reading)
  try {
    const inbox = await read(client, query)
    await client.logout().catch(() => undefined)
    return inbox
  } catch (thrown) {
    throw refusalOf(thrown, reading)
  } finally {
    client.close()
  }
}

/**
 * Reads the inbox now and whenever the server announces new emails. Ends if the server closes the connection or
 * renumbers its emails.
 */
export async function* watchInbox(query: InboxQuery, reading: Reading): AsyncGenerator<Inbox> {
  const client = await signIn(query, reading)
  const ended = new Promise<'ended'>((resolve) => client.once('close', () => resolve('ended')))
  let news = Promise.withResolvers<'news'>()
  client.on('exists', () => news.resolve('news'))
  let { after } = query
  try {
    for (;;) {
      // What arrives while the inbox is read is announced too.
      news = Promise.withResolvers()
      const inbox = await read(client, { ...query, after })
      if (after !== query.after && after?.uid_validity !== inbox.next.uid_validity) return
      yield inbox
      after = inbox.next
      if (inbox.mails.length > 0 || inbox.next.unread?.length) continue
      // The next command ends it. A server without IDLE is asked every minute.
      void client.idle().catch(() => undefined)
      const enough = new AbortController()
      const waited = sleep(maxWait, 'waited' as const, { ref: false, signal: enough.signal }).catch(
        () => 'waited' as const,
      )
      const happened = await Promise.race([news.promise, waited, ended])
      enough.abort()
      reading.signal?.throwIfAborted()
      if (happened === 'ended') return
    }
  } catch (thrown) {
    throw refusalOf(thrown, reading)
  } finally {
    client.close()
  }
}

/** Connects to the first address that responds. Closed when the signal aborts. */
async function signIn(query: InboxQuery, reading: Reading): Promise<ImapFlow> {
  const [address = '', ...others] = reading.addresses
  const { signal } = reading
  signal?.throwIfAborted()
  const client = clientFor(address, query, reading)
  // Without a listener, a connection error would crash the process; the calls below reject with it.
  client.on('error', () => undefined)
  const onAbort = () => client.close()
  signal?.addEventListener('abort', onAbort, { once: true })
  client.on('close', () => signal?.removeEventListener('abort', onAbort))
  try {
    await client.connect()
    return client
  } catch (thrown) {
    client.close()
    if (!signal?.aborted && isUnreached(thrown) && others.length > 0)
      return signIn(query, { ...reading, addresses: others })
    throw refusalOf(thrown, reading)
  }
}

function refusalOf(thrown: unknown, { server, signal }: Reading): MailRefused {
  signal?.throwIfAborted()
  return new MailRefused(reasonOf(thrown, server))
}

function clientFor(address: string, { max_bytes }: InboxQuery, { server, settings }: Reading): ImapFlow {
  const { timeout_ms = defaultTimeout, ca } = settings
  const { host, port, security, username = '', password = '' } = server
  return new ImapFlow({
    host: address,
    port,
    secure: security === 'tls',
    ...(security !== 'tls' && { doSTARTTLS: security === 'starttls' }),
    ...(address !== host && { servername: host }),
    ...(ca && { tls: { ca } }),
    auth: { user: username, pass: password },
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: timeout_ms,
    greetingTimeout: timeout_ms,
    maxIdleTime: pollInterval,
    socketTimeout: Math.max(2 * timeout_ms, pollInterval + timeout_ms),
    maxLiteralSize: max_bytes + framing,
    maxResponseSize: max_bytes + 2 * framing,
  })
}

async function read(client: ImapFlow, query: InboxQuery): Promise<Inbox> {
  const box = await client.mailboxOpen('INBOX', { readOnly: true })
  const uid_validity = String(box.uidValidity)
  const { after, max_mails, max_bytes } = query
  if (after === null || after.uid_validity !== uid_validity) {
    const uid = Math.max(0, (box.uidNext ?? 1) - 1)
    const since = after === null ? undefined : query.reread_since
    const unread = since === undefined || box.exists === 0 ? [] : await uidsSince(client, since, uid)
    return { mails: [], next: { uid_validity, uid, unread } }
  }
  const earlier = after.unread ?? []
  const uids = [...earlier, ...(box.exists > 0 ? await uidsAfter(client, after.uid) : [])]
  const mails: InboxMail[] = []
  let done = 0
  let bytes = 0
  for (const uid of uids.slice(0, max_mails)) {
    if (bytes >= max_bytes) break
    done += 1
    const part = { uid: true, size: true, source: { maxLength: max_bytes } }
    const message = await client.fetchOne(String(uid), part, { uid: true })
    // The email was deleted after the list was read.
    if (!message || message.source === undefined) continue
    mails.push({ uid, raw: message.source, size_bytes: message.size ?? message.source.length })
    bytes += message.source.length
  }
  const uid = done > earlier.length ? (uids[done - 1] ?? after.uid) : after.uid
  return { mails, next: { uid_validity, uid, unread: earlier.slice(done) } }
}

/** Maximum emails that are read again. */
const maxReread = 500

/**
 * The emails received after a time, oldest first. Those sent long before do not count: a server that was moved may
 * have received all of its emails just now.
 */
async function uidsSince(client: ImapFlow, time: number, last: number): Promise<number[]> {
  // The search knows only days, in the time zone of the server.
  const since = new Date(time - day)
  const listed = (await client.search({ since, sentSince: since }, { uid: true })) || []
  if (listed.length === 0) return []
  const messages = await client.fetchAll(listed.join(','), { uid: true, internalDate: true }, { uid: true })
  return messages
    .filter(({ uid, internalDate }) => uid <= last && Number(new Date(internalDate ?? 0)) > time)
    .map(({ uid }) => uid)
    .sort((left, right) => left - right)
    .slice(-maxReread)
}

/** `n:*` always includes the last email, even if its number is smaller. */
async function uidsAfter(client: ImapFlow, uid: number): Promise<number[]> {
  const messages = await client.fetchAll(`${uid + 1}:*`, { uid: true }, { uid: true })
  return messages
    .map((mail) => mail.uid)
    .filter((one) => one > uid)
    .sort((left, right) => left - right)
}

interface ImapError {
  code?: string
  message?: string
  responseText?: string
  authenticationFailed?: boolean
}

const isUnreached = (thrown: unknown): boolean =>
  /^(ECONN|EHOST|ENET|ETIMEDOUT|CONNECT_TIMEOUT)/.test((thrown as ImapError).code ?? '')

/** The error as shown to the person who configured the server. */
function reasonOf(thrown: unknown, { host, port, security }: MailServer): string {
  const { message = 'no reason given', responseText, authenticationFailed } = thrown as ImapError
  const at = `${host}:${port}`
  if (authenticationFailed) return `The server refused the sign-in${responseText ? `: ${responseText}` : ''}`
  if (/wrong version number|packet length too long|record layer/i.test(message))
    return `${at} does not start with TLS; choose starttls instead of tls`
  if (/certificate|self-signed|altnames|STARTTLS/i.test(message))
    return `Cannot establish an encrypted connection to ${at}: ${message}`
  if (/greeting/i.test(message) && security !== 'tls')
    return `${at} sent no greeting; if the server expects TLS from the start, choose tls`
  return responseText ? `The server replied: ${responseText}` : `${at} cannot be reached: ${message}`
}
