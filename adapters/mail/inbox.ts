import { ImapFlow } from 'imapflow'
import {
  type Inbox,
  type InboxMail,
  type InboxQuery,
  MailRefused,
  type MailServer,
} from '../../runtime/ports/mail.ts'
import { day } from '../../runtime/time.ts'
import type { MailSettings } from './mail.ts'

interface Reading {
  addresses: readonly string[]
  server: MailServer
  settings: MailSettings
  signal?: AbortSignal | undefined
}

const defaultTimeout = 15_000
/** Bytes for the protocol lines around an email in a response. */
const framing = 64 * 1024

/** Reads the new emails of an inbox, trying the addresses in order until one responds. */
export async function readInbox(query: InboxQuery, reading: Reading): Promise<Inbox> {
  const [address = '', ...others] = reading.addresses
  const client = clientFor(address, query, reading)
  // Without a listener, a connection error would crash the process; the calls below reject with it.
  client.on('error', () => undefined)
  const onAbort = () => client.close()
  reading.signal?.addEventListener('abort', onAbort, { once: true })
  let connected = false
  try {
    reading.signal?.throwIfAborted()
    await client.connect()
    connected = true
    const inbox = await read(client, query)
    await client.logout().catch(() => undefined)
    return inbox
  } catch (thrown) {
    reading.signal?.throwIfAborted()
    if (!connected && isUnreached(thrown) && others.length > 0)
      return await readInbox(query, { ...reading, addresses: others })
    throw new MailRefused(reasonOf(thrown, reading.server))
  } finally {
    reading.signal?.removeEventListener('abort', onAbort)
    client.close()
  }
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
    socketTimeout: 2 * timeout_ms,
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
    const found = await client.fetchOne(String(uid), part, { uid: true })
    // The email was deleted after the list was read.
    if (!found || found.source === undefined) continue
    mails.push({ uid, raw: found.source, size_bytes: found.size ?? found.source.length })
    bytes += found.source.length
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
  const found = await client.fetchAll(listed.join(','), { uid: true, internalDate: true }, { uid: true })
  return found
    .filter(({ uid, internalDate }) => uid <= last && Number(new Date(internalDate ?? 0)) > time)
    .map(({ uid }) => uid)
    .sort((left, right) => left - right)
    .slice(-maxReread)
}

/** `n:*` always includes the last email, even if its number is smaller. */
async function uidsAfter(client: ImapFlow, uid: number): Promise<number[]> {
  const found = await client.fetchAll(`${uid + 1}:*`, { uid: true }, { uid: true })
  return found
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
