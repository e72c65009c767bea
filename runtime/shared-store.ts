import { allEventsAfter, latestEvent } from './events/commit.ts'
import { storeTopic } from './events/event.ts'
import { SharedOutbox } from './events/shared-outbox.ts'
import type { Host } from './host.ts'
import { renewClaims } from './http/idempotency.ts'
import { wonRace } from './lost-race.ts'
import { WrongMasterKey } from './secrets/sealed-text.ts'
import { saveSettings, storedSettings } from './sections/store.ts'
import { iso, second } from './time.ts'
import { firstOf } from './within.ts'
import { LeaseLost } from './work/run.ts'
import { leaseMargin, leaseTime } from './work/store.ts'

/** Milliseconds between reads of the outbox: after at most as long, a client sees what another process has committed. */
const readEvery = 0.5 * second
const batch = 500
/** Milliseconds between checks of the leases. */
const checkEvery = 1 * second
/** Milliseconds between renewals of the claims of running requests. */
const renewEvery = 20 * second

/**
 * Lets this process use its database together with others, until it stops: their events are published here too, and work
 * whose lease cannot be renewed is aborted before another process takes it.
 */
export async function shareStore(host: Host): Promise<void> {
  await requireSharedKey(host)
  const shared = new SharedOutbox(host.bus, await latestEvent(host))
  host.process.shared = shared
  void followOutbox(host, shared)
  void watchLeases(host)
}

/** A text that the first process has sealed. It is stored as settings that nobody changes. */
const probe = 'master_key'

/** Throws `WrongMasterKey` if the others have another key: what one seals, no other could open. */
async function requireSharedKey(host: Host): Promise<void> {
  const after = JSON.stringify(await host.secrets.seal(probe, probe))
  const row = saveSettings(probe, { before: null, after, now: iso(host.clock.now()) }, 'stored by another process')
  if (await wonRace(host.sql.write([row]))) return
  const sealed = JSON.parse((await storedSettings(host, probe)) ?? 'null')
  await host.secrets.open(String(sealed), probe).catch((cause: unknown) => {
    throw new WrongMasterKey(wrongKey, { cause })
  })
}

const wrongKey =
  'The other daemons on this database seal their secrets with another master key: give all of them the same SERVICE_SECRET_KEY, or the same master.key in their data folders'

async function followOutbox(host: Host, shared: SharedOutbox): Promise<void> {
  const { stopping } = host.process
  while (!stopping.aborted) {
    if (await readOutbox(host, shared)) continue
    await firstOf(host.clock, shared.behind, { milliseconds: readEvery, signal: stopping })
  }
}

/** Whether there may be more events. After a failure it waits, because an own event may already be due to be read. */
async function readOutbox(host: Host, shared: SharedOutbox): Promise<boolean> {
  try {
    const events = await allEventsAfter(host, shared.position, batch)
    shared.read(events)
    if (shared.lost_at !== null) setReachable(host, shared, null)
    return events.length === batch
  } catch (thrown) {
    if (shared.lost_at === null && !host.process.stopping.aborted) setReachable(host, shared, { thrown })
    await host.clock.after(readEvery, host.process.stopping).catch(() => undefined)
    return true
  }
}

function setReachable({ bus, clock, log, process }: Host, shared: SharedOutbox, problem: { thrown: unknown } | null) {
  const now = clock.now()
  bus.publish(storeTopic, { type: 'store', ts: iso(now), data: { reachable: problem === null } })
  if (problem) {
    shared.lost_at = now
    const cause = problem.thrown
    log.write('error', 'the database server cannot be reached; this daemon takes no work until it can', { cause })
    return
  }
  const lost_ms = now - (shared.lost_at ?? now)
  shared.lost_at = null
  log.write('info', 'the database server can be reached again; this daemon takes work again', { lost_ms })
  process.wake()
}

async function watchLeases(host: Host): Promise<void> {
  const { clock, log, process } = host
  let renewed_at = clock.now()
  while (!process.stopping.aborted) {
    if (clock.now() - renewed_at >= renewEvery) {
      renewed_at = clock.now()
      // Without the server, its requests fail.
      renewClaims(host).catch(() => undefined)
    }
    const ids = process.running.abortBefore(clock.now() - (leaseTime - leaseMargin), new LeaseLost(leaseLost))
    if (ids.length > 0) log.write('error', 'work was given up, because its lease could not be renewed', { work: ids })
    await clock.after(checkEvery, process.stopping).catch(() => undefined)
  }
}

const leaseLost = 'The database server could not be reached for so long that another daemon may take over this work'
