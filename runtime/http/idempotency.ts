import type { Context } from '../context.ts'
import { conflict, Fault } from '../fault.ts'
import { GuardFailed, type Statement } from '../ports/sql.ts'
import { day, iso } from '../time.ts'
import type { EndpointInfo } from './endpoint.ts'

interface Stored {
  fingerprint: string
  status: number | null
  response: string | null
}

const retention = day

/**
 * Runs a POST once per caller and `Idempotency-Key`, and replays the first response to repeated requests.
 * The same key with another body is a 422. Forms and raw bytes can be read only once, so their length is compared.
 * Stored responses are sealed, because some contain a new API key.
 * Streams are not stored: streaming endpoints handle repeats themselves and set `idempotent: false`.
 */
export async function once(
  info: EndpointInfo,
  input: { request: Request; body: unknown },
  context: Context,
  run: () => Promise<Response>,
): Promise<Response> {
  const key = input.request.headers.get('idempotency-key')
  if (!key || info.method !== 'POST' || info.idempotent === false) return run()
  const slot = context.secrets.sha256(`${context.caller.id ?? context.caller.address}\n${info.path}\n${key}`)
  const fingerprint = context.secrets.sha256(
    `${new URL(input.request.url).pathname}\n${JSON.stringify(input.body) ?? lengthOf(input.request)}`,
  )
  const earlier = await claim(context, slot, fingerprint)
  if (earlier) return replay(context, earlier, fingerprint)
  markEffects(context, slot)
  return keep(context, slot, run)
}

/** From now on each change of the request is stored together with the mark that it took effect. */
function markEffects(context: Context, slot: string): void {
  const { commit } = context
  const sql = 'UPDATE idempotency SET status = ? WHERE slot = ? AND response IS NULL'
  const mark: Statement = { sql, args: [effective, slot] }
  context.commit = async function (this: Context, statements, events, options) {
    const written = await commit.call(this, [...statements, mark], events, options)
    return written.slice(0, statements.length)
  }
}

const lengthOf = (request: Request) => `length ${request.headers.get('content-length')}`

async function claim(context: Context, slot: string, fingerprint: string): Promise<Stored | null> {
  const now = context.clock.now()
  try {
    const old = { sql: 'DELETE FROM idempotency WHERE created_at < ?', args: [iso(now - retention)] }
    const mine = {
      sql: 'INSERT INTO idempotency (slot, fingerprint, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      args: [slot, fingerprint, iso(now)],
      guard: 'repeated',
    }
    // Becomes durable with the request's own writes.
    await context.sql.write([old, mine], { durable: false })
    return null
  } catch (thrown) {
    if (!(thrown instanceof GuardFailed)) throw thrown
    const rows = await context.sql.read<Stored>(
      'SELECT fingerprint, status, response FROM idempotency WHERE slot = ?',
      [slot],
    )
    return rows[0] ?? null
  }
}

/** Stored instead of a status while the request runs, once a change of it is stored. */
const effective = 1
/** The same after a crash: the response was lost. */
const interrupted = 0

/** After a crash, requests without an effect can be sent again; those with one are never rerun. */
export const endCutRequests = (): Statement[] => [
  { sql: 'DELETE FROM idempotency WHERE status IS NULL' },
  { sql: 'UPDATE idempotency SET status = ? WHERE status = ?', args: [interrupted, effective] },
]

async function replay(context: Context, stored: Stored, fingerprint: string): Promise<Response> {
  if (stored.fingerprint !== fingerprint) {
    throw new Fault(422, 'validation_error', 'This Idempotency-Key was already used with another body', {
      extra: { issues: [{ path: 'Idempotency-Key', message: 'already used with another body' }] },
    })
  }
  if (stored.status === interrupted)
    throw conflict(
      'The first request with this key took effect, but the daemon stopped before it answered. Look at the result instead of repeating it',
    )
  if (stored.response === null) throw conflict('The first request with this key is still running')
  const body = await context.secrets.open(stored.response, 'idempotency')
  const headers = { 'content-type': 'application/json', 'idempotency-replayed': 'true' }
  return new Response(body, { status: stored.status ?? 200, headers })
}

async function keep(context: Context, slot: string, run: () => Promise<Response>): Promise<Response> {
  const response = await run().catch(async (thrown: unknown) => {
    await attempt(context, forget(slot))
    throw thrown
  })
  if (!response.headers.get('content-type')?.includes('application/json')) {
    await attempt(context, forget(slot))
    return response
  }
  const { status, headers } = response
  const text = await response.text()
  await attempt(context, remember(slot, status, await context.secrets.seal(text, 'idempotency')))
  return new Response(text, { status, headers })
}

/** Failures are only logged: the request has already taken effect, and a key that stays claimed is safe. */
async function attempt(context: Context, statement: Statement): Promise<void> {
  try {
    await context.sql.write([statement])
  } catch (cause) {
    context.log.write('warn', 'cannot store the state of an Idempotency-Key', {
      request_id: context.request_id,
      cause,
    })
  }
}

/** A refused or failed request had no effect, so its key can be used again. */
const forget = (slot: string): Statement => ({ sql: 'DELETE FROM idempotency WHERE slot = ?', args: [slot] })

const remember = (slot: string, status: number, sealed: string): Statement => ({
  sql: 'UPDATE idempotency SET status = ?, response = ? WHERE slot = ?',
  args: [status, sealed, slot],
})

const probeSlot = 'readiness probe'

/** Time of the last successful readiness probe, ISO 8601; null if there was none. */
export async function lastProbe({ sql }: Pick<Context, 'sql'>): Promise<string | null> {
  const rows = await sql.read<{ created_at: string }>('SELECT created_at FROM idempotency WHERE slot = ?', [
    probeSlot,
  ])
  return rows[0]?.created_at ?? null
}

/**
 * Writes a row, because a full or read-only store refuses only writes. The time makes each write different: SQLite
 * skips writes that change nothing. Callers' slots are hashes, so none can have this name.
 */
export const probeStore = ({ sql }: Pick<Context, 'sql'>, now: string) =>
  sql.write([
    {
      sql: `INSERT INTO idempotency (slot, fingerprint, created_at) VALUES (?, '', ?)
        ON CONFLICT (slot) DO UPDATE SET created_at = excluded.created_at`,
      args: [probeSlot, now],
    },
  ])
