import type { Context } from '../context.ts'
import { conflict, Fault } from '../fault.ts'
import type { Host } from '../host.ts'
import { wonRace } from '../lost-race.ts'
import type { Statement } from '../ports/sql.ts'
import { processState } from '../process-state.ts'
import { shapeProblem } from '../shape.ts'
import { readRow, sql } from '../statement.ts'
import { day, iso } from '../time.ts'
import { leaseTime } from '../work/store.ts'
import { isStream, type Returns } from './returns.ts'

interface Stored {
  fingerprint: string
  created_at: string
  status: number | null
  response: string | null
}

/** A JSON answer, and whether it was stored by an earlier request. */
export interface Answered {
  status: number
  text: string
  replayed?: boolean
}

type Run = () => Promise<Answered>

interface Keyed {
  request: Request
  body: unknown
  returns: Returns
  /** Of the answer in a commit. */
  status: number
  acts_outside?: boolean | undefined
  /** The answer to a repeat whose first request took effect but stored none. */
  recover?: (() => Promise<Answered>) | undefined
}

const retention = day

/** The requests of this process that have not ended, so that a simultaneous repeat waits for the first. */
const running = processState(() => new Map<string, Promise<unknown>>())

/**
 * Runs a request once per caller and `Idempotency-Key`, and gives repeated requests the first answer. The same key with
 * another request is a 422. Forms and raw bytes can be read only once, so their length is compared.
 *
 * The answer is stored in the transaction of the effect (`answer` of `commit`), because between a commit and a later
 * write the daemon may die: a repeat would then run twice or could not be answered. Rendering it again from ids would
 * need a second function per endpoint and cannot return a new API key; answers are sealed because some contain one.
 * A commit without an answer, or with that of a step (not of the endpoint's schema), stores a mark only: after a crash
 * its repeat is never a second effect, but the state that the endpoint's `recover` reads, or a 409.
 */
export async function once(context: Context, input: Keyed, run: Run): Promise<Answered> {
  const key = input.request.headers.get('idempotency-key')
  if (!key) return run()
  const slot = context.secrets.sha256(`${context.caller.id ?? context.caller.address}\n${key}`)
  const fingerprint = context.secrets.sha256(
    `${new URL(input.request.url).pathname}\n${JSON.stringify(input.body) ?? lengthOf(input.request)}`,
  )
  const requests = running(context)
  while (requests.has(slot)) await requests.get(slot)?.catch(() => undefined)
  const answered = claim(context, slot, fingerprint).then((earlier) =>
    earlier ? replay(context, earlier, { ...input, fingerprint }) : keep(context, slot, input, run),
  )
  requests.set(slot, answered)
  return answered.finally(() => requests.delete(slot))
}

/** From now on each commit of the request stores its answer, which is returned, or the mark that it took effect. */
function storeEffects(context: Context, slot: string, { returns, status }: Keyed): { text?: string } {
  const { commit } = context
  const stored: { text?: string } = {}
  context.commit = async function (
    this: Context,
    statements,
    events,
    { answer, answer_status = status, ...options } = {},
  ) {
    const whole = answer !== undefined && (isStream(returns) || shapeProblem(returns, answer) === null)
    const text = whole ? JSON.stringify(answer) : undefined
    const mark = text === undefined ? markOf(slot) : await remember(context, slot, { status: answer_status, text })
    const written = await commit.call(this, [...statements, mark], events, options)
    if (text !== undefined) stored.text = text
    return written.slice(0, statements.length)
  }
  return stored
}

const lengthOf = (request: Request) => `length ${request.headers.get('content-length')}`

async function claim(context: Context, slot: string, fingerprint: string): Promise<Stored | null> {
  const now = context.clock.now()
  const old = sql`DELETE FROM idempotency WHERE created_at < ${iso(now - retention)}`
  const mine = {
    ...sql`INSERT INTO idempotency (slot, fingerprint, created_at) VALUES (${slot}, ${fingerprint}, ${iso(now)})
      ON CONFLICT DO NOTHING`,
    guard: 'repeated',
  }
  // Becomes durable with the request's own writes.
  if (await wonRace(context.sql.write([old, mine], { durable: false }))) return null
  const stored = await readRow<Stored>(
    context,
    sql`SELECT fingerprint, created_at, status, response FROM idempotency WHERE slot = ${slot}`,
  )
  const isOpen = stored && stored.response === null && stored.status !== interrupted
  if (!context.process.shared || !isOpen || Date.parse(stored.created_at) > now - leaseTime) return stored
  // The daemon that ran it has died; another one may have claimed it by now.
  await context.sql.write(endCut(slot, sql`created_at = ${stored.created_at}`))
  return claim(context, slot, fingerprint)
}

/** Shows other daemons that the requests of this one still run. */
export async function renewClaims(host: Host): Promise<void> {
  const slots = JSON.stringify([...running(host).keys()])
  if (slots === '[]') return
  const ours = sql`response IS NULL AND slot IN (SELECT value FROM json_each(${slots}))`
  await host.sql.write([sql`UPDATE idempotency SET created_at = ${iso(host.clock.now())} WHERE ${ours}`])
}

/** Stored instead of a status while the request runs, once a change of it is stored. */
const effective = 1
/** Stored once the request has ended without an answer. */
const interrupted = 0

const markOf = (slot: string): Statement =>
  sql`UPDATE idempotency SET status = ${effective} WHERE slot = ${slot} AND response IS NULL`

/** A request that failed or was cut by a crash can be sent again if it had no effect. One that had is never rerun. */
const endCut = (slot: string, when = sql`true`): Statement[] => [
  sql`DELETE FROM idempotency WHERE slot = ${slot} AND status IS NULL AND ${when}`,
  sql`UPDATE idempotency SET status = ${interrupted} WHERE slot = ${slot} AND response IS NULL AND ${when}`,
]

/** Like `endCut`, for all requests that a crash has interrupted. */
export const endCutRequests = (): Statement[] => [
  { sql: 'DELETE FROM idempotency WHERE status IS NULL' },
  sql`UPDATE idempotency SET status = ${interrupted} WHERE response IS NULL`,
]

async function replay(
  context: Context,
  stored: Stored,
  { fingerprint, recover }: Pick<Keyed, 'recover'> & { fingerprint: string },
): Promise<Answered> {
  if (stored.fingerprint !== fingerprint) {
    throw new Fault(422, 'validation_error', 'This Idempotency-Key was already used with another request', {
      extra: { issues: [{ path: 'Idempotency-Key', message: 'already used with another request' }] },
    })
  }
  if (stored.status === interrupted && recover) return { ...(await recover()), replayed: true }
  if (stored.status === interrupted)
    throw conflict(
      'The daemon stopped before it answered the first request with this key, which took effect or may have. Look at the result instead of repeating it',
    )
  if (stored.response === null) throw conflict('The first request with this key is still running')
  const text = await context.secrets.open(stored.response, purpose)
  return { status: stored.status ?? 200, text, replayed: true }
}

async function keep(context: Context, slot: string, keyed: Keyed, run: Run): Promise<Answered> {
  const stored = storeEffects(context, slot, keyed)
  if (keyed.acts_outside) await context.sql.write([markOf(slot)])
  const answered = await run().catch(async (thrown: unknown) => {
    await attempt(context, thrown instanceof Fault ? [forget(slot)] : endCut(slot))
    throw thrown
  })
  if (answered.text !== stored.text) await attempt(context, [await remember(context, slot, answered)])
  return answered
}

/** Failures are only logged: the request has already taken effect, and a key that stays claimed is safe. */
async function attempt(context: Context, statements: Statement[]): Promise<void> {
  try {
    await context.sql.write(statements)
  } catch (cause) {
    context.log.write('warn', 'cannot store the state of an Idempotency-Key', {
      request_id: context.request_id,
      cause,
    })
  }
}

/** A refused request can be sent again with its key. */
const forget = (slot: string): Statement => sql`DELETE FROM idempotency WHERE slot = ${slot} AND response IS NULL`

const purpose = 'idempotency'

async function remember({ secrets }: Context, slot: string, { status, text }: Answered): Promise<Statement> {
  const response = await secrets.seal(text, purpose)
  return sql`UPDATE idempotency SET status = ${status}, response = ${response} WHERE slot = ${slot}`
}

const probeSlot = 'readiness probe'

/** Time of the last successful readiness probe, ISO 8601; null if there was none. */
export async function lastProbe(host: Pick<Context, 'sql'>): Promise<string | null> {
  const probe = sql`SELECT created_at FROM idempotency WHERE slot = ${probeSlot}`
  return (await readRow<{ created_at: string }>(host, probe))?.created_at ?? null
}

/**
 * Writes a row, because a full or read-only store refuses only writes. The time makes each write different: SQLite
 * skips writes that change nothing. Callers' slots are hashes, so none can have this name.
 */
export const probeStore = (host: Pick<Context, 'sql'>, now: string) =>
  host.sql.write([
    sql`INSERT INTO idempotency (slot, fingerprint, created_at) VALUES (${probeSlot}, '', ${now})
        ON CONFLICT (slot) DO UPDATE SET created_at = excluded.created_at`,
  ])
