import { requireAccess } from '../auth/authorise.ts'
import { ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict, Fault, invalidField, notFound, unsupported } from '../fault.ts'
import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import { processState } from '../process-state.ts'
import { readSection } from '../sections/section.ts'
import { iso, second } from '../time.ts'
import { clearTainted, wholeWorkspace } from '../tools/store.ts'
import { isSameJson } from '../values.ts'
import type { WorkKind } from '../work/kind.ts'
import { enqueueOnce } from '../work/select.ts'
import { chooseEngine, engineCall, engineOf, engineStatus, hasNextEngine, proveEngine } from './engine.ts'
import {
  type Container,
  type ContainerChanges,
  type NewContainer,
  type SandboxConfig,
  sandboxConfig,
} from './schema.ts'
import {
  allContainers,
  countContainers,
  deleteContainer,
  findContainer,
  insertContainer,
  limitContainer,
  listContainers,
  publicContainer,
  type StoredContainer,
  updateContainer,
} from './store.ts'
import { removeWorkspace } from './workspace.ts'

/** Containers of one owner. */
const maxContainers = 50

/** Ids of containers with running commands, with their number. */
export const busyContainers = processState(() => new Map<string, number>())

export async function requireContainer(context: Context, id: string): Promise<StoredContainer> {
  const container = await findContainer(context, id)
  if (!container) throw notFound(`The container ${id}`)
  return container
}

/** Creates and starts a container within the limits of the configuration. */
export async function addContainer(
  context: Context,
  fields: NewContainer,
  agent_id: string | null = null,
): Promise<Container> {
  const config = await readSection(context, sandboxConfig)
  checkLimits(config, fields)
  if (fields.image !== undefined && fields.image !== config.image) requireAccess('admin', context)
  const choice = await chooseEngine(context, config)
  if ('problem' in choice) throw unsupported(choice.problem)
  if ((await countContainers(context)) >= maxContainers)
    throw conflict(`There are ${maxContainers} containers; delete one first`)
  const { image, network, cpu_limit, memory_mb, pids_limit, workspace_access } = config
  const now = iso(context.clock.now())
  const container: StoredContainer = {
    image,
    network,
    cpu_limit,
    memory_mb,
    pids_limit,
    workspace_access,
    ...fields,
    env: { ...config.env, ...fields.env },
    id: newId('box', context.clock.now()),
    owner_id: ownerOf(context),
    status: 'stopped',
    backend: choice.engine.backend,
    agent_id,
    created_at: now,
    last_used_at: now,
  } as StoredContainer
  // The row comes first, so that whatever is left of a crash is found.
  await context.commit([insertContainer(container)])
  try {
    await engineCall(async () => {
      await choice.engine.create(container, context.signal)
      // An image that somebody chose may have no shell.
      if (config.backend === 'auto' && fields.image === undefined) await proveEngine(context, choice.engine, container)
    })
  } catch (thrown) {
    await choice.engine.remove(container.id).catch(() => undefined)
    await context.commit([deleteContainer(container.id)])
    if (config.backend !== 'auto' || fields.image !== undefined || !(thrown instanceof Fault)) throw thrown
    if (!(await hasNextEngine(context, config, choice.engine, thrown.message))) throw thrown
    return addContainer(context, fields, agent_id)
  }
  const answer = publicContainer({ ...container, status: 'running' })
  await context.commit(
    [updateContainer(container.id, { status: 'running' }), await upkeepWork(context)],
    [event('container.created', { container_id: container.id, name: container.name })],
    { answer },
  )
  return answer
}

function checkLimits(config: SandboxConfig, fields: NewContainer): void {
  for (const limit of ['cpu_limit', 'memory_mb', 'pids_limit'] as const)
    if ((fields[limit] ?? 0) > config[limit])
      throw invalidField(limit, `must be at most ${config[limit]}, the limit of the configuration`)
  if (fields.network === 'full' && config.network === 'none')
    throw invalidField('network', 'must be none: the configuration allows no network')
  const [access, allowed] = [fields.workspace_access ?? 'none', config.workspace_access]
  if (accesses.indexOf(access) > accesses.indexOf(allowed))
    throw invalidField('workspace_access', `must be ${allowed}, as the configuration says`)
}

const accesses = ['none', 'ro', 'rw'] as const

/** The container itself if it has no more than the configuration allows. */
function withinLimits(config: SandboxConfig, container: StoredContainer): StoredContainer {
  const access = Math.min(...[config, container].map((one) => accesses.indexOf(one.workspace_access)))
  const limits = {
    cpu_limit: Math.min(config.cpu_limit, container.cpu_limit),
    memory_mb: Math.min(config.memory_mb, container.memory_mb),
    pids_limit: Math.min(config.pids_limit, container.pids_limit),
    network: config.network === 'none' ? config.network : container.network,
    workspace_access: accesses[access] ?? 'none',
  }
  const limited = { ...container, ...limits }
  return isSameJson(limited, container) ? container : limited
}

export async function startContainer(context: Context, id: string): Promise<Container> {
  const container = await requireContainer(context, id)
  return publicContainer(await started(context, container))
}

/** The container, started if it was not. One with more than the configuration allows by now is made again with less. */
export async function started(context: Context, stored: StoredContainer): Promise<StoredContainer> {
  const engine = await engineOf(context, stored.backend)
  const container = withinLimits(await readSection(context, sandboxConfig), stored)
  if (container !== stored) {
    await engineCall(() => engine.remove(container.id))
    await context.commit([limitContainer(container)])
  }
  await engineCall(() => engine.start(container, context.signal))
  const last_used_at = iso(context.clock.now())
  const now = { status: 'running', last_used_at } as const
  await context.commit(
    [updateContainer(container.id, now), await upkeepWork(context)],
    container.status === 'running' ? [] : [event('container.updated', { container_id: container.id })],
  )
  return { ...container, ...now }
}

export async function stopContainer(context: Context, id: string): Promise<Container> {
  const container = await requireContainer(context, id)
  await stop(context, container)
  return publicContainer({ ...container, status: 'stopped' })
}

async function stop(context: Context, { id, backend, owner_id }: StoredContainer): Promise<void> {
  const engine = context.sandbox.engines.find((one) => one.backend === backend)
  await engineCall(async () => engine?.stop(id))
  await context.commit(
    [updateContainer(id, { status: 'stopped' })],
    [event('container.updated', { container_id: id }, owner_id)],
  )
}

export async function renameContainer(context: Context, id: string, { name }: ContainerChanges): Promise<Container> {
  const container = await requireContainer(context, id)
  await context.commit([updateContainer(id, { name })], [event('container.updated', { container_id: id })])
  return publicContainer({ ...container, name })
}

export async function removeContainer(context: Context, id: string): Promise<void> {
  const { backend } = await requireContainer(context, id)
  const engine = context.sandbox.engines.find((one) => one.backend === backend)
  // One that is gone keeps the container; a later start of the daemon removes it.
  const works = engine && (await engineStatus(context, engine)).available
  if (works) await engineCall(() => engine.remove(id))
  await removeWorkspace(context, id)
  await context.commit(
    [deleteContainer(id), clearTainted(id, wholeWorkspace)],
    [event('container.deleted', { container_id: id })],
  )
}

export async function pruneContainers(context: Context): Promise<string[]> {
  const { rows: containers } = await listContainers(context, { limit: maxContainers, offset: 0 })
  const removed: string[] = []
  for (const { id, status } of containers) {
    if (status !== 'stopped' || busyContainers(context).has(id)) continue
    await removeContainer(context, id)
    removed.push(id)
  }
  return removed
}

export const upkeepKind = 'sandbox.upkeep'

const upkeepWork = async (context: Context) => {
  const { idle_stop_seconds } = await readSection(context, sandboxConfig)
  return upkeepAt(context, context.clock.now() + idle_stop_seconds * second)
}

export const upkeepAt = (host: Pick<Host, 'clock'>, due: number) =>
  enqueueOnce(host, { kind: upkeepKind, subject: 'sandbox', due }, { or_sooner: true })

/** Whether leftovers of the previous process were removed. */
const swept = processState(() => ({ done: false }))

/** Stops idle containers; after a start also those that the previous process left running. */
export const sandboxUpkeep: WorkKind = {
  kind: upkeepKind,
  max_running: 1,
  after_crash: 'retry',
  retry: { max_attempts: 5, delay_seconds: (attempt) => 10 * attempt },
  async run(_, context) {
    const { idle_stop_seconds } = await readSection(context, sandboxConfig)
    if (!swept(context).done) await removeLeftovers(context)
    const all = await allContainers(context)
    const idle = idle_stop_seconds * second
    let next = Number.POSITIVE_INFINITY
    for (const container of all.filter(({ status }) => status === 'running')) {
      const due = Date.parse(container.last_used_at) + idle
      const busy = busyContainers(context).has(container.id)
      const stale = isOld(context, container)
      const ends = !busy && (stale || due <= context.clock.now())
      if (ends && (await isStopped(context, container))) continue
      next = Math.min(next, busy || ends ? context.clock.now() + idle : due)
    }
    swept(context).done = true
    return { status: 'succeeded', statements: Number.isFinite(next) ? [upkeepAt(context, next)] : [] }
  },
}

async function isStopped(context: Context, container: StoredContainer): Promise<boolean> {
  try {
    await stop(context, container)
    return true
  } catch (cause) {
    context.log.write('warn', 'a container could not be stopped', { container_id: container.id, cause })
    return false
  }
}

/**
 * Removes containers of the engines that no row names, and stops those that run although their row is stopped, as after a
 * crash while they were created. A row comes before its container: so rows are read last.
 */
async function removeLeftovers(context: Context): Promise<void> {
  for (const engine of context.sandbox.engines) {
    const listed = await engine.list().catch(() => [])
    const byId = new Map((await allContainers(context)).map((container) => [container.id, container]))
    for (const { id, running } of listed) {
      const row = byId.get(id)
      if (!row) await engine.remove(id)
      else if (running && row.status === 'stopped' && isOld(context, row)) await engine.stop(id)
    }
  }
}

/** Last used by an earlier process. */
const isOld = ({ process }: Context, { last_used_at }: StoredContainer): boolean =>
  Date.parse(last_used_at) < process.started_at
