import { auditStatement } from '../auth/audit.ts'
import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import { Fault, sentenceOf } from '../fault.ts'
import type { Socket } from '../http/socket.ts'
import { parseJson } from '../json.ts'
import { wonRace } from '../lost-race.ts'
import type { Statement } from '../ports/sql.ts'
import { iso, minute, second } from '../time.ts'
import { readable } from '../validation.ts'
import { allow, answerFromDevice, followApprovals } from './approvals.ts'
import { commandsInFlight, findCommand, markRunning, type StoredCommand, saveProgress } from './command-store.ts'
import { deliver, end, requeue } from './commands.ts'
import { findDevice, type StoredDevice, updateDevice } from './device-store.ts'
import type { Inbox } from './inbox.ts'
import { closing, type LiveDevice, liveDevices } from './live.ts'
import { deviceContext, identifyDevice, isTokenValid } from './pairing.ts'
import { pushPublicKey } from './push.ts'
import { DeviceFrame, DeviceHealth, type Hello } from './schema.ts'

const heartbeat = 30 * second
const staleAfter = 90 * second
/** A silent connection is closed, so that a new one is not mistaken for a second device. */
const closedAfter = 180 * second
const helloWithin = 10 * second
/** Maximum refused frames; a device that sends more is broken or malicious. */
const maxRefusals = 20
const maxEventsPerMinute = 60
/** Maximum JSON characters of an event's data. */
const maxEventData = 64 * 1024
/** Further frames in the same minute are dropped. */
const maxProgressPerMinute = 600

type Frame<Type extends DeviceFrame['type']> = Extract<DeviceFrame, { type: Type }>

/** Serves the connection of one device until it closes. */
export async function serveDevice(
  { socket, inbox, token }: { socket: Socket; inbox: Inbox; token: string | null },
  context: Context,
): Promise<void> {
  const closed = new AbortController()
  socket.onClose(() => closed.abort(new Error('The connection was closed')))
  const identity = await identifyDevice(context, token).catch((thrown: unknown) => {
    // Throws if there were too many invalid tokens from this address.
    if (thrown instanceof Fault) return null
    throw thrown
  })
  if (!identity) return socket.close(closing.badToken, 'The device token is not valid')
  if (closed.signal.aborted) return
  const { device, token_hash } = identity
  const own = deviceContext(context, device)
  const live = liveDeviceOf(device, token_hash, socket, {
    ...own,
    signal: AbortSignal.any([closed.signal, context.process.stopping]),
  })
  const all = liveDevices(context)
  const earlier = all.get(device.id)
  if (earlier) {
    earlier.replaced = true
    earlier.close(closing.replaced, 'The device has opened a newer connection')
  }
  all.set(device.id, live)
  socket.onClose(() => {
    if (all.get(device.id) === live) all.delete(device.id)
    disconnected(live).catch((cause: unknown) => report(live, cause))
  })
  void keepAlive(live)
  await inbox.serve(
    (text) => receive(live, text),
    (cause) => {
      report(live, cause)
      live.close(1011, 'Internal error')
    },
  )
}

const report = ({ context, id }: LiveDevice, cause: unknown) =>
  context.log.write('warn', 'the connection of a device failed', { device: id, cause: String(cause) })

function liveDeviceOf(device: StoredDevice, token_hash: string, socket: Socket, context: Context): LiveDevice {
  const { id, name, owner_id, health } = device
  return {
    id,
    name,
    owner_id,
    health,
    context,
    token_hash,
    allowed: new Set(device.allowed_commands),
    ready: false,
    stale: false,
    replaced: false,
    seen_at: context.clock.now(),
    pinged_at: null,
    refusals: 0,
    events: { minute: 0, count: 0 },
    progress: { minute: 0, count: 0 },
    delivering: Promise.resolve(),
    send: (frame) => socket.send(JSON.stringify(frame)),
    close: (code, reason) => socket.close(code, reason),
  }
}

const malformed = (live: LiveDevice, reason: string) => live.close(closing.malformed, reason)

async function receive(live: LiveDevice, text: string | Uint8Array): Promise<void> {
  if (live.replaced) return
  const value = typeof text === 'string' ? parseJson(text) : null
  if (value === null) return malformed(live, 'A frame must be JSON text')
  const frame = DeviceFrame.safeParse(value, readable)
  if (!frame.success) {
    const issues = frame.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
    return malformed(live, sentenceOf(issues.slice(0, 3)))
  }
  live.seen_at = live.context.clock.now()
  if (frame.data.type === 'hello') return hello(live, frame.data)
  if (!live.ready) return malformed(live, 'The first frame must be hello')
  if (live.stale) await markOnline(live)
  await handlers[frame.data.type](live, frame.data as never)
}

const named = ({ id: device_id, name }: LiveDevice) => ({ device_id, name })

/** Commits a change of the device's state with its events, unless the device has been revoked in the meantime. */
async function commitState(live: LiveDevice, statements: Statement[], events: EventInput[]): Promise<void> {
  if (await wonRace(live.context.commit(statements, events))) return
  live.close(closing.badToken, 'The device token is no longer valid')
}

async function hello(live: LiveDevice, frame: Hello): Promise<void> {
  if (live.ready) return malformed(live, 'hello was already sent')
  const { context } = live
  const { model, os_version, client_version, capabilities, health } = frame
  if (health) live.health = { ...live.health, ...present(health) }
  await reconcile(live, frame)
  await commitState(
    live,
    [
      updateDevice(live.id, {
        ...(model !== undefined && { model }),
        ...(os_version !== undefined && { os_version }),
        ...(client_version !== undefined && { client_version }),
        capabilities: [...new Set(capabilities)],
        status: 'online',
        health: live.health,
        last_seen_at: iso(live.seen_at),
      }),
    ],
    [event('device.connected', named(live), live.owner_id)],
  )
  const device = await findDevice(context, live.id)
  if (!device || device.status === 'revoked' || context.signal.aborted || live.replaced) return
  live.name = device.name
  live.allowed = new Set(device.allowed_commands.filter((one) => capabilities.includes(one)))
  live.ready = true
  live.send({
    type: 'welcome',
    heartbeat_seconds: heartbeat / second,
    device_id: live.id,
    name: live.name,
    allowed_commands: device.allowed_commands,
    push_public_key: await pushPublicKey(context, device.platform),
  })
  followApprovals(live)
  void deliver(context, live.id)
}

/** Compares the delivered commands with those the device reports, so that none runs twice and none is lost. */
async function reconcile({ context, id }: LiveDevice, { received, running }: Hello): Promise<void> {
  for (const command of await commandsInFlight(context, id)) {
    const isMissing = received !== undefined && command.seq > received
    if (isMissing && command.status === 'sent') await requeue(context, command)
    else if (running && !running.includes(command.id))
      await end(context, command, {
        status: 'failed',
        error: 'The device was interrupted while it ran this command',
      })
  }
}

const present = (health: DeviceHealth): Partial<DeviceHealth> =>
  Object.fromEntries(Object.entries(health).filter(([, value]) => value !== null))

const handlers: {
  [Type in Exclude<DeviceFrame['type'], 'hello'>]: (live: LiveDevice, frame: Frame<Type>) => unknown
} = {
  async ack(live, { id }) {
    const command = await requireInFlight(live, id)
    if (command?.status !== 'sent') return
    await unlessEnded(live, command, [markRunning(id)], commandEvent(live, command, 'running'))
  },

  async progress(live, { id, pct, message }) {
    const command = await requireInFlight(live, id)
    if (!command || !isWithin(live, live.progress, maxProgressPerMinute)) return
    const progress = { pct, message }
    const { device_id, command: name } = command
    const reported = event(
      'device.command.progress',
      { device_id, command_id: id, command: name, progress },
      live.owner_id,
    )
    await unlessEnded(live, command, [saveProgress(id, progress)], reported)
  },

  async result(live, { id, ok, output, error }) {
    const command = await requireInFlight(live, id)
    if (!command) return
    if (!live.allowed.has(command.command)) {
      await end(live.context, command, { status: 'failed', error: 'Its capability is no longer approved' })
      await refuse(live, id, `The capability ${command.command} is not approved`)
    } else {
      const outcome = ok
        ? ({ status: 'succeeded', output: output ?? null } as const)
        : ({
            status: 'failed',
            output: output ?? null,
            error: error ?? 'The device reported a failure',
          } as const)
      if (ok && command.command === 'health') takeHealth(live, output)
      if (await end(live.context, command, outcome)) live.send({ type: 'received', id })
    }
    void deliver(live.context, live.id)
  },

  async event(live, { event: name, data = null }) {
    const refused = (reason: string) => live.send({ type: 'refused', event: name, reason })
    if (!isWithin(live, live.events, maxEventsPerMinute))
      return refused(`The limit is ${maxEventsPerMinute} events per minute`)
    if (JSON.stringify(data).length > maxEventData) return refused('The data of an event is limited to 64 KiB')
    await live.context.commit([], [event('device.event', { ...named(live), event: name, data }, live.owner_id)])
  },

  ping(live, { health }) {
    if (health) live.health = { ...live.health, ...present(health) }
    live.send({ type: 'pong' })
  },

  pong(live) {
    if (live.pinged_at === null) return
    live.health = { ...live.health, latency_ms: Math.max(0, live.context.clock.now() - live.pinged_at) }
    live.pinged_at = null
  },

  async approval(live, { approval_id, approved }) {
    if (!live.allowed.has('approvals')) return refuse(live, approval_id, 'The capability approvals is not approved')
    live.send({
      type: 'approval_result',
      approval_id,
      ...(await answerFromDevice(live, approval_id, approved)),
    })
  },

  async push(live, { subscription }) {
    await commitState(live, [updateDevice(live.id, { push: subscription })], [])
  },
}

/** Counts a frame. False if the limit for this minute is exceeded. */
function isWithin({ seen_at }: LiveDevice, rate: LiveDevice['events'], max: number): boolean {
  const now = Math.floor(seen_at / minute)
  if (rate.minute !== now) Object.assign(rate, { minute: now, count: 0 })
  rate.count += 1
  return rate.count <= max
}

function takeHealth(live: LiveDevice, output: unknown): void {
  const health = DeviceHealth.safeParse(output)
  if (health.success) live.health = { ...live.health, ...present(health.data) }
}

const commandEvent = (live: LiveDevice, { id, device_id, command }: StoredCommand, status: 'running') =>
  event('device.command.updated', { device_id, command_id: id, command, status }, live.owner_id)

/** The command, if it was delivered to this device and has not ended; otherwise the frame is refused. */
async function requireInFlight(live: LiveDevice, id: string): Promise<StoredCommand | null> {
  const command = await findCommand(live.context, id)
  const isOwn = command?.device_id === live.id
  if (isOwn && (command.status === 'sent' || command.status === 'running')) return command
  // A command that was cancelled or has timed out does not count as a violation.
  if (isOwn && command.sent_at !== null) live.send({ type: 'refused', id, reason: 'This command has ended' })
  else await refuse(live, id, 'This command was never sent to this device')
  return null
}

async function unlessEnded(live: LiveDevice, { id }: StoredCommand, statements: Statement[], reported: EventInput) {
  if (await wonRace(live.context.commit(statements, [reported], { durable: false }))) return
  live.send({ type: 'refused', id, reason: 'This command has ended' })
}

/** Refuses a frame that a correct client never sends, and records it in the audit log. */
async function refuse(live: LiveDevice, id: string, reason: string): Promise<void> {
  live.refusals += 1
  live.send({ type: 'refused', id, reason })
  await live.context.commit([
    auditStatement(live.context, {
      action: 'device.frame_refused',
      target: `${live.id} ${id}`,
      outcome: 'denied',
    }),
  ])
  if (live.refusals >= maxRefusals) malformed(live, 'Too many frames were refused')
}

async function markOnline(live: LiveDevice): Promise<void> {
  live.stale = false
  const back = event('device.updated', { ...named(live), status: 'online' }, live.owner_id)
  await commitState(live, [updateDevice(live.id, { status: 'online', last_seen_at: iso(live.seen_at) })], [back])
  void deliver(live.context, live.id)
}

/** Pings a device, detects silence, and closes the connection if its token is no longer valid. */
async function keepAlive(live: LiveDevice): Promise<void> {
  const { clock, signal } = live.context
  try {
    await clock.after(helloWithin, signal)
    if (!live.ready) return malformed(live, 'No hello was received within 10 s')
    for (;;) {
      await clock.after(heartbeat, signal)
      await sendHeartbeat(live)
    }
  } catch (cause) {
    if (!signal.aborted) report(live, cause)
  }
}

async function sendHeartbeat(live: LiveDevice): Promise<void> {
  const { context, id } = live
  const now = context.clock.now()
  const silence = now - live.seen_at
  if (silence >= closedAfter) return live.close(closing.silent, 'The device was silent for too long')
  if (silence >= staleAfter && !live.stale) {
    live.stale = true
    const stale = event('device.updated', { ...named(live), status: 'stale' }, live.owner_id)
    await commitState(live, [updateDevice(id, { status: 'stale', last_seen_at: iso(live.seen_at) })], [stale])
  }
  live.pinged_at = now
  live.send({ type: 'ping' })
  await checkDevice(live)
}

/** Another daemon on this database may have ended the token, changed what is allowed, or queued a command. */
export async function checkDevice(live: LiveDevice): Promise<void> {
  const { context, id, token_hash } = live
  if (!(await isTokenValid(context, id, token_hash)))
    return live.close(closing.badToken, 'The device token is no longer valid')
  const { allowed_commands = [] } = (await findDevice(context, id)) ?? {}
  if (live.ready && live.allowed.symmetricDifference(new Set(allowed_commands)).size > 0) allow(live, allowed_commands)
  await deliver(context, id)
}

async function disconnected(live: LiveDevice): Promise<void> {
  if (!live.ready || live.replaced) return
  const { context, id, health, seen_at } = live
  const gone = [event('device.disconnected', named(live), live.owner_id)]
  const offline = updateDevice(id, { status: 'offline', health, last_seen_at: iso(seen_at) })
  if (!(await wonRace(context.commit([offline], gone)))) await context.commit([], gone)
}
