import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import { ifUnreachable, whileSubscribed } from '../events/subscribe.ts'
import { conflict, Fault, forbidden, invalid, invalidField, notFound } from '../fault.ts'
import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import { wonRace } from '../lost-race.ts'
import { GuardFailed, type Statement } from '../ports/sql.ts'
import { iso, second } from '../time.ts'
import { readable } from '../validation.ts'
import type { WorkKind } from '../work/kind.ts'
import { workContext } from '../work/run.ts'
import { dropQueuedWork } from '../work/select.ts'
import { insertWork } from '../work/store.ts'
import { isCommand, specOf } from './catalogue.ts'
import {
  type CommandEnd,
  commandEntry,
  commandsOfBatch,
  countOpen,
  endCommand,
  findCommand,
  insertCommand,
  markSent,
  nextCommand,
  openCommands,
  publicCommand,
  requeueCommand,
  type StoredCommand,
} from './command-store.ts'
import { findDevice, findOwnDevice, type StoredDevice, subscriberOf } from './device-store.ts'
import { deviceGroups } from './groups.ts'
import { liveDevice } from './live.ts'
import { type Notice, pushNotice } from './push.ts'
import type { DeviceCommand, NewCommand } from './schema.ts'

export const deadlineKind = 'devices.deadline'
const maxOpen = 1_000

type Draft = Omit<StoredCommand, 'seq'>

/** Queues a command for a device and delivers it if the device is connected. */
export async function sendCommand(context: Context, id: string, input: NewCommand): Promise<DeviceCommand> {
  const device = await findOwnDevice(context, id)
  if (!device) throw notFound(`The device ${id}`)
  const command = await draft(context, device, input)
  await context.commit(...newRows(context, device, command), { answer: command })
  if (isPushed(device, command)) void deliverByPush(context, device, command, input)
  else void deliver(context, id)
  return command
}

/** Validates a command and sets its deadlines. Throws a `Fault` if the device cannot run it or may not. */
async function draft(context: Context, device: StoredDevice, input: NewCommand, batch_id: string | null = null) {
  requireAllowed(device, input.command)
  const params = checkParams(input)
  const isOnline = device.status === 'online'
  if (!isOnline && !input.queue_if_offline && !isPushed(device, input))
    throw conflict(`${device.name} is ${device.status}; use queue_if_offline to deliver the command later`)
  if ((await countOpen(context, device.id)) >= maxOpen)
    throw conflict(`${device.name} has ${maxOpen} pending commands already`)
  const now = context.clock.now()
  const wait = input.queue_if_offline ? input.queue_seconds : input.timeout_seconds
  const command: Draft = {
    id: newId('cmd', now),
    device_id: device.id,
    batch_id,
    command: input.command,
    params,
    status: 'queued',
    progress: null,
    output: null,
    error: null,
    timeout_seconds: input.timeout_seconds,
    created_at: iso(now),
    expires_at: iso(now + wait * second),
    sent_at: null,
    ended_at: null,
  }
  return command
}

function requireAllowed(device: StoredDevice, command: string): void {
  if (device.status === 'revoked') throw conflict(`${device.name} was revoked`)
  if (!isCommand(command)) throw invalidField('command', `is a capability, not a command: ${command}`)
  if (!device.capabilities.includes(command))
    throw invalidField('command', `is not offered by ${device.name}: ${command}`)
  if (!device.allowed_commands.includes(command))
    throw forbidden(`The capability ${command} of ${device.name} must be approved by its owner first`)
}

function checkParams({ command, params }: NewCommand): Record<string, unknown> {
  const spec = specOf(command)
  if (!spec) return params
  const checked = spec.params.safeParse(params, readable)
  if (checked.success) return checked.data as Record<string, unknown>
  throw invalid(checked.error.issues.map(({ path, message }) => ({ path: ['params', ...path].join('.'), message })))
}

const updated = (
  device: Pick<StoredDevice, 'owner_id'>,
  command: Pick<Draft, 'id' | 'device_id' | 'command' | 'status'>,
) =>
  event(
    'device.command.updated',
    {
      device_id: command.device_id,
      command_id: command.id,
      command: command.command,
      status: command.status,
    },
    device.owner_id,
  )

const deadline = (context: Pick<Host, 'clock'>, device: Pick<StoredDevice, 'owner_id'>, id: string, due: number) =>
  insertWork(context, { kind: deadlineKind, subject: id, owner_id: device.owner_id, due }).statement

const newRows = (context: Context, device: StoredDevice, command: Draft): [Statement[], EventInput[]] => [
  [...insertCommand(command), deadline(context, device, command.id, Date.parse(command.expires_at))],
  [updated(device, command)],
]

/** Sends a command to every device in a group. Devices that cannot run it are returned with the reason. */
export async function sendToGroup(context: Context, group_id: string, input: NewCommand) {
  const group = await deviceGroups.require(context, group_id)
  const id = newId('gcmd', context.clock.now())
  const drafts: { device: StoredDevice; command: Draft }[] = []
  const results: {
    device_id: string
    command: Omit<DeviceCommand, 'output'> | null
    error: string | null
  }[] = []
  checkParams(input)
  for (const device_id of group.device_ids) {
    const device = await findDevice(context, device_id)
    if (!device) continue
    try {
      const command = await draft(context, device, input, id)
      drafts.push({ device, command })
      results.push({ device_id, command: commandEntry({ ...command, seq: 0 }), error: null })
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown
      results.push({ device_id, command: null, error: thrown.message })
    }
  }
  const rows = drafts.map(({ device, command }) => newRows(context, device, command))
  const answer = { id, group_id, results }
  await context.commit(
    rows.flatMap(([statements]) => statements),
    rows.flatMap(([, events]) => events),
    { answer },
  )
  for (const { device, command } of drafts)
    void (isPushed(device, command) ? deliverByPush(context, device, command, input) : deliver(context, device.id))
  return answer
}

/** Whether a command is a notification for a disconnected browser, which is delivered by its push service. */
const isPushed = ({ status, push }: StoredDevice, { command }: { command: string }): boolean =>
  status !== 'online' && command === 'notify' && push !== null

/** Never rejects. The command is marked as sent first, so that a device that connects in the meantime does not get it twice. */
async function deliverByPush(
  host: Context,
  device: StoredDevice,
  { id, params }: Draft,
  { queue_if_offline }: NewCommand,
): Promise<void> {
  const context = workContext(host, { id, owner_id: device.owner_id }, host.process.stopping)
  try {
    const command = await findCommand(context, id)
    if (!command) return
    await context.commit([markSent(command, iso(context.clock.now()), command.expires_at)])
    const problem = await pushNotice(context, subscriberOf(device), params as unknown as Notice)
    if (problem === null) await end(context, command, { status: 'succeeded', output: { delivered_by: 'push' } })
    else if (queue_if_offline) await context.commit([requeueCommand(id, command.expires_at)])
    else await end(context, command, { status: 'failed', error: problem })
  } catch (cause) {
    if (!(cause instanceof GuardFailed))
      context.log.write('warn', 'cannot push a notification', { device: device.id, cause: String(cause) })
  }
  void deliver(context, device.id)
}

/** The state of a group command: the result for each device that got it. */
export async function groupCommand(context: Context, group_id: string, id: string) {
  await deviceGroups.require(context, group_id)
  const commands = await commandsOfBatch(context, id)
  const own = await Promise.all(
    commands.map(async (one) => ((await findOwnDevice(context, one.device_id)) ? one : null)),
  )
  const ownCommands = own.filter((one) => one !== null)
  if (ownCommands.length === 0) throw notFound(`The group command ${id}`)
  return {
    id,
    group_id,
    results: ownCommands.map((command) => ({
      device_id: command.device_id,
      command: commandEntry(command),
      error: null,
    })),
  }
}

/**
 * Delivers a device's next command, if the device is connected to this process and is not running one. Commands are
 * delivered one at a time, in order. Never rejects.
 */
export function deliver(host: Pick<Host, 'process'>, device_id: string): Promise<void> {
  const live = liveDevice(host, device_id)
  if (!live) return Promise.resolve()
  live.delivering = live.delivering.then(async () => {
    try {
      await deliverNext(live.context, device_id)
    } catch (cause) {
      live.context.log.write('warn', 'cannot deliver a command to a device', {
        device: device_id,
        cause: String(cause),
      })
    }
  })
  return live.delivering
}

async function deliverNext(context: Context, device_id: string): Promise<void> {
  for (;;) {
    const live = liveDevice(context, device_id)
    if (!live?.ready || live.stale || context.signal.aborted) return
    const command = await nextCommand(context, device_id)
    if (!command) return
    if (!live.allowed.has(command.command)) {
      const error = `The capability ${command.command} is no longer approved`
      await end(context, command, { status: 'failed', error })
      continue
    }
    const now = context.clock.now()
    if (Date.parse(command.expires_at) <= now) {
      await end(context, command, { status: 'expired', error: 'The command was not delivered in time' })
      continue
    }
    const due = now + command.timeout_seconds * second
    const sent = context.commit(
      [
        markSent(command, iso(now), iso(due)),
        dropQueuedWork({ kind: deadlineKind, subject: command.id }),
        deadline(context, live, command.id, due),
      ],
      [updated(live, { ...command, status: 'sent' })],
    )
    if (!(await wonRace(sent))) continue
    const { id, seq, params, timeout_seconds } = command
    live.send({ type: 'command', id, seq, command: command.command, params, timeout_seconds })
    return
  }
}

/** Requeues a sent command that its device reports as not received. */
export async function requeue(context: Context, command: StoredCommand): Promise<void> {
  const due = context.clock.now() + command.timeout_seconds * second
  const device = (await findDevice(context, command.device_id)) ?? { owner_id: '' }
  await context.commit(
    [
      requeueCommand(command.id, iso(due)),
      dropQueuedWork({ kind: deadlineKind, subject: command.id }),
      deadline(context, device, command.id, due),
    ],
    [updated(device, { ...command, status: 'queued' })],
  )
}

function endRows(device: Pick<StoredDevice, 'owner_id'>, command: StoredCommand, outcome: CommandEnd, at: string) {
  return {
    statements: [endCommand(command.id, outcome, at), dropQueuedWork({ kind: deadlineKind, subject: command.id })],
    events: [updated(device, { ...command, status: outcome.status })],
  }
}

/** Ends a command. Returns the updated command, or null if it had already ended. */
export async function end(
  context: Context,
  command: StoredCommand,
  outcome: CommandEnd,
): Promise<DeviceCommand | null> {
  const device = (await findDevice(context, command.device_id)) ?? { owner_id: '' }
  const ended_at = iso(context.clock.now())
  const { status, output = null, error = null } = outcome
  const answer: DeviceCommand = { ...publicCommand(command), status, output, error, ended_at }
  const { statements, events } = endRows(device, command, outcome, ended_at)
  return (await wonRace(context.commit(statements, events, { answer }))) ? answer : null
}

/** Statements and events that cancel all commands of a revoked device. */
export async function commandsToCancel(context: Context, device: StoredDevice) {
  const at = iso(context.clock.now())
  const open = await openCommands(context, device.id)
  const ends = open.map((command) =>
    endRows(device, command, { status: 'cancelled', error: 'The device was revoked' }, at),
  )
  return {
    // A command that ends at the same time must not make the revocation fail.
    statements: ends.flatMap(({ statements }) => statements.map(({ guard: _, ...one }) => one)),
    events: ends.flatMap(({ events }) => events),
  }
}

/** Cancels a command. If it was delivered, the device is told to stop and its result is ignored. */
export async function cancelCommand(context: Context, device_id: string, id: string): Promise<DeviceCommand> {
  const command = await findCommand(context, id)
  if (command?.device_id !== device_id) throw notFound(`The command ${id}`)
  const ended = command.ended_at === null ? await end(context, command, { status: 'cancelled' }) : null
  if (!ended) throw conflict('This command has already ended')
  stopOnDevice(context, command)
  return ended
}

/** Stops a delivered command on its device and delivers the next one. */
function stopOnDevice(host: Pick<Host, 'process'>, { id, device_id, status }: StoredCommand): void {
  if (status !== 'queued') liveDevice(host, device_id)?.send({ type: 'cancel', id })
  void deliver(host, device_id)
}

/** Ends a command that was not delivered or not completed in time. */
export const commandDeadline: WorkKind = {
  kind: deadlineKind,
  max_running: 20,
  after_crash: 'retry',
  async run(work, context) {
    const command = await findCommand(context, work.subject)
    if (!command || command.ended_at !== null) return { status: 'succeeded' }
    const due = Date.parse(command.expires_at)
    if (due > context.clock.now())
      return { status: 'succeeded', statements: [deadline(context, work, command.id, due)] }
    const outcome: CommandEnd =
      command.status === 'queued'
        ? { status: 'expired', error: 'The command was not delivered in time' }
        : { status: 'timed_out', error: `The device returned no result within ${command.timeout_seconds} s` }
    if (await end(context, command, outcome)) stopOnDevice(context, command)
    return { status: 'succeeded' }
  },
}

/** Polling interval for commands that another daemon may end, in milliseconds. */
const recheck = 10 * second

/** Waits until a command ends, which its deadline guarantees; null if it was deleted. Rejects if `signal` aborts. */
export function commandEnd(context: Context, id: string, signal: AbortSignal): Promise<StoredCommand | null> {
  const isOwn = (type: string, { command_id }: Record<string, unknown>) =>
    type === 'device.command.updated' && command_id === id
  return whileSubscribed(context, isOwn, async (next) => {
    for (;;) {
      const command = await findCommand(context, id).catch(ifUnreachable)
      if (command === null || command?.ended_at) return command
      await next(recheck, signal)
      signal.throwIfAborted()
    }
  })
}
