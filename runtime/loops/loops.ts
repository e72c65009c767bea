import { namedEnabledAgent } from '../agents/index.ts'
import { ownerOf } from '../auth/owner.ts'
import { readersOf, requireOwner } from '../auth/sharing.ts'
import { titleFrom } from '../chat/index.ts'
import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import { invalidField, notFound } from '../fault.ts'
import { newId } from '../id.ts'
import { againIfLost } from '../lost-race.ts'
import type { Statement } from '../ports/sql.ts'
import { required } from '../required.ts'
import { changedFields } from '../table.ts'
import { iso } from '../time.ts'
import { mountFolder, unmountFolder } from '../tools/store.ts'
import { loopRoot, machineFolder } from '../tools/workspace.ts'
import type { Trust } from '../trust.ts'
import { defined } from '../values.ts'
import {
  findLoop,
  findShownLoop,
  insertLoop,
  listIterations,
  publicIteration,
  publicLoop,
  type StoredLoop,
  updateLoop,
} from './loop-store.ts'
import type { Loop, LoopChanges, LoopDetails, NewLoop } from './schema.ts'
import { requireShell } from './shell-check.ts'
import { verifierOf } from './verify.ts'

export const requireShownLoop = required('loop', findShownLoop)

/** The loop if it belongs to the caller; a 404, or a 403 if it is only shared with them. */
export const requireLoop = async (context: Context, id: string) =>
  requireOwner(context, 'loop', await requireShownLoop(context, id))

export async function showLoop(context: Context, loop: StoredLoop): Promise<LoopDetails> {
  const iterations = await listIterations(context, loop.run_id)
  return { ...publicLoop(loop), iterations: iterations.map(publicIteration) }
}

export const notStarted = {
  status: 'draft',
  stop_reason: null,
  error: null,
  pausing: false,
  question: null,
  iteration: 0,
  last_verdict: null,
  steering: [],
  tokens_used: 0,
  cost_usd: 0,
  active_seconds: 0,
  run_id: null,
  conversation_id: null,
  next_at: null,
  started_at: null,
  ended_at: null,
  judge_errors: 0,
  watched_from: 0,
  failures: 0,
  job: null,
} satisfies Partial<StoredLoop>

export async function addLoop(
  context: Context,
  input: NewLoop,
  { trust = 'owner', by_agent = false }: { trust?: Trust; by_agent?: boolean } = {},
): Promise<Loop> {
  await checkReferences(context, input)
  const now = context.clock.now()
  const loop: StoredLoop = {
    ...input,
    ...notStarted,
    verified_by: await verifierOf(context, input),
    trust,
    usd_by_agent: by_agent,
    name: input.name ?? titleFrom(input.goal),
    id: newId('loop', now),
    owner_id: ownerOf(context),
    shared_with: [],
    revision: 0,
    created_at: iso(now),
    updated_at: iso(now),
  }
  const { id: loop_id, name } = loop
  await context.commit([insertLoop(loop), ...mountOf(loop)], [event('loop.created', { loop_id, name })], {
    answer: publicLoop(loop),
  })
  return publicLoop(loop)
}

/** The folder of the machine in which the loop works, if it has one. */
const mountOf = ({ id, workspace_path }: Loop): Statement[] =>
  workspace_path === null ? [] : [mountFolder(loopRoot(id), workspace_path)]

async function checkReferences(
  context: Context,
  { agent_id, workspace_path, verification }: Partial<Pick<Loop, 'agent_id' | 'workspace_path' | 'verification'>>,
): Promise<void> {
  if (agent_id) await namedEnabledAgent(context, agent_id, 'agent_id')
  const folder = workspace_path ? await machineFolder(context, workspace_path) : null
  if (folder && !folder.ok) throw invalidField('workspace_path', folder.problem)
  if (verification?.kind === 'command' && verification.spec.language === 'shell') await requireShell(context)
}

/** Changes the settings of a loop; the next iteration uses them. */
export async function editLoop(context: Context, id: string, changes: LoopChanges): Promise<Loop> {
  const loop = await requireLoop(context, id)
  await checkReferences(context, changedFields(changes, loop))
  const shared_with = changes.shared_with && readersOf(loop, changes.shared_with)
  const fields = defined({ ...changes, shared_with })
  return changeOwnLoop(context, id, async (current) => {
    const edited: StoredLoop = { ...current, ...fields }
    // A form sends the goal and the budget back as they were.
    if (edited.goal !== current.goal) edited.trust = 'owner'
    if (edited.budget.usd !== current.budget.usd) edited.usd_by_agent = false
    const changed = { ...edited, verified_by: await verifierOf(context, edited) }
    return { loop: changed, statements: [unmountFolder(loopRoot(id)), ...mountOf(changed)] }
  })
}

/** Like `changeLoop`, for a loop of the caller; a 404 if there is none. */
export async function changeOwnLoop(...[context, id, change]: Parameters<typeof changeLoop>): Promise<Loop> {
  await requireLoop(context, id)
  const changed = await changeLoop(context, id, change)
  if (!changed) throw notFound(`The loop ${id}`)
  return changed
}

/** The new state of a loop, and what is stored and announced with it. */
export interface Step {
  loop: StoredLoop
  statements?: Statement[]
  events?: EventInput[]
}

/** The statements and events of a step, for one commit. */
export function rowsOf({ loop, statements = [], events = [] }: Step): [Statement[], EventInput[]] {
  const updated = event('loop.updated', { loop_id: loop.id, status: loop.status })
  return [
    [...updateLoop(loop), ...statements],
    [...events, updated],
  ]
}

/**
 * Applies a change to the current state of a loop, again if another change was stored meanwhile. `change` has no effects
 * of its own; null changes nothing. Returns the loop, or null if it was deleted.
 */
export async function changeLoop(
  context: Context,
  id: string,
  change: (loop: StoredLoop) => Step | null | Promise<Step | null>,
): Promise<Loop | null> {
  return againIfLost(async () => {
    const loop = await findLoop(context, id)
    if (!loop) return null
    const step = await change(loop)
    if (!step) return publicLoop(loop)
    const changed = { ...step, loop: { ...step.loop, updated_at: iso(context.clock.now()) } }
    await context.commit(...rowsOf(changed), { answer: publicLoop(changed.loop) })
    return publicLoop(changed.loop)
  })
}
