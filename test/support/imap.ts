import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures/mail', name), 'utf8')

/** When an email was received for which a test gives no time. */
const epoch = '01-Jan-1970 00:00:00 +0000'

export interface TestImap extends AsyncDisposable {
  port: number
  uid_validity: number
  mails: { uid: number; raw: string | Buffer; received?: string }[]
  /** The commands that were received, without their tags, passwords and mail numbers included. */
  commands: string[]
  /** Stores an email, and announces it on the connections that wait (RFC 2177). */
  deliver(raw: string): void
  /** Ends all connections without a farewell. */
  cut(): void
}

/** A mail server on the loopback with one inbox, for ada with the password right (RFC 3501). */
export async function startImap({
  security = 'tls' as 'tls' | 'starttls' | 'none',
  silent = false,
  idle = true,
} = {}): Promise<TestImap> {
  const secrets = { key: fixture('key.pem'), cert: fixture('certificate.pem') }
  const sockets = new Set<Socket>()
  /** The connections that wait for new emails, with the tags of their commands. */
  const waiting = new Map<Socket, string>()
  /** How many emails each connection knows. */
  const counts = new Map<Socket, number>()
  const announce = (socket: Socket) => {
    const count = state.mails.length
    if (counts.get(socket) !== count) socket.write(`* ${count} EXISTS\r\n`)
    counts.set(socket, count)
  }
  const state: Omit<TestImap, keyof AsyncDisposable> = {
    ...{ port: 0, uid_validity: 7, mails: [], commands: [] },
    deliver(raw) {
      state.mails.push({ uid: Math.max(0, ...state.mails.map(({ uid }) => uid)) + 1, raw })
      for (const socket of waiting.keys()) announce(socket)
    },
    cut() {
      for (const socket of sockets) socket.destroy()
    },
  }

  function serve(socket: Socket, greet: boolean) {
    let buffered = ''
    if (greet && !silent) socket.write('* OK ready\r\n')
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      buffered += data.toString('latin1')
      for (let end = buffered.indexOf('\r\n'); end !== -1; end = buffered.indexOf('\r\n')) {
        const [tag = '', ...words] = buffered.slice(0, end).split(' ')
        buffered = buffered.slice(end + 2)
        if (answer(socket, tag, words.join(' ')) === 'secure') {
          socket.removeAllListeners('data')
          serve(new TLSSocket(socket, { isServer: true, ...secrets }), false)
          return
        }
      }
    })
  }

  function answer(socket: Socket, tag: string, command: string): 'secure' | undefined {
    state.commands.push(command)
    const encrypted = socket instanceof TLSSocket
    const say = (...lines: string[]) => socket.write(lines.map((line) => `${line}\r\n`).join(''))
    const [verb = ''] = command.toUpperCase().split(' ')
    const open = waiting.get(socket)
    if (tag === 'DONE' && open !== undefined) {
      waiting.delete(socket)
      say(`${open} OK done`)
      return undefined
    }
    if (verb === 'STARTTLS') {
      say(`${tag} OK begin`)
      return 'secure'
    }
    if (verb === 'CAPABILITY') {
      const upgrade = security === 'starttls' && !encrypted ? ' STARTTLS' : ''
      say(`* CAPABILITY IMAP4rev1${upgrade}${idle ? ' IDLE' : ''}`, `${tag} OK done`)
    } else if (verb === 'LOGIN') {
      const right = /^LOGIN "?ada"? "?right"?$/i.test(command)
      say(right ? `${tag} OK done` : `${tag} NO [AUTHENTICATIONFAILED] That is not your password`)
    } else if (verb === 'EXAMINE' || verb === 'SELECT') {
      const next = Math.max(0, ...state.mails.map(({ uid }) => uid)) + 1
      counts.set(socket, state.mails.length)
      say(
        '* FLAGS (\\Seen)',
        `* ${state.mails.length} EXISTS`,
        '* 0 RECENT',
        `* OK [UIDVALIDITY ${state.uid_validity}] valid`,
        `* OK [UIDNEXT ${next}] next`,
        `${tag} OK [READ-ONLY] done`,
      )
    } else if (command.toUpperCase().startsWith('UID SEARCH')) {
      const since = Date.parse(/ SINCE (\S+)/i.exec(command)?.[1] ?? '')
      const sentSince = Date.parse(/ SENTSINCE (\S+)/i.exec(command)?.[1] ?? '')
      const found = state.mails.filter(
        ({ raw, received = epoch }) =>
          Date.parse(received) >= since && Date.parse(/^Date: (.*)$/m.exec(String(raw))?.[1] ?? '') >= sentSince,
      )
      say(`* SEARCH${found.map(({ uid }) => ` ${uid}`).join('')}`, `${tag} OK done`)
    } else if (command.toUpperCase().startsWith('UID FETCH')) {
      fetch(socket, command)
      say(`${tag} OK done`)
    } else if (verb === 'IDLE' && idle) {
      waiting.set(socket, tag)
      say('+ idling')
      announce(socket)
      socket.once('close', () => waiting.delete(socket))
    } else if (verb === 'NOOP') {
      announce(socket)
      say(`${tag} OK done`)
    } else if (verb === 'LOGOUT') {
      say('* BYE', `${tag} OK done`)
      socket.end()
    } else say(`${tag} OK done`)
    return undefined
  }

  function fetch(socket: Socket, command: string) {
    const listed = /^UID FETCH ([\d,]+) /i.exec(command)?.[1]?.split(',').map(Number)
    const [, from = '0', to] = /^UID FETCH (\d+)(?::(\*|\d+))?/i.exec(command) ?? []
    const last = Math.max(0, ...state.mails.map(({ uid }) => uid))
    const first = to === '*' ? Math.min(Number(from), last) : Number(from)
    const end = to === '*' ? last : Number(to ?? from)
    const limit = /BODY\.PEEK\[\]<0\.(\d+)>/i.exec(command)?.[1]
    for (const [index, { uid, raw, received = epoch }] of state.mails.entries()) {
      if (listed ? !listed.includes(uid) : uid < first || uid > end) continue
      const bytes = Buffer.from(raw)
      const part = limit === undefined ? bytes : bytes.subarray(0, Number(limit))
      const dated = /INTERNALDATE/i.test(command) ? ` INTERNALDATE "${received}"` : ''
      const items = `UID ${uid} RFC822.SIZE ${bytes.length}${dated}`
      if (!/BODY/i.test(command)) socket.write(`* ${index + 1} FETCH (${items})\r\n`)
      else {
        socket.write(`* ${index + 1} FETCH (${items} BODY[]${limit === undefined ? '' : '<0>'} {${part.length}}\r\n`)
        socket.write(part)
        socket.write(')\r\n')
      }
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    if (security === 'tls' && !silent) serve(new TLSSocket(socket, { isServer: true, ...secrets }), true)
    else serve(socket, true)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return Object.assign(state, {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  })
}
