import { namedEnabledAgent } from '../agents/agents.ts'
import { ownerOf } from '../auth/owner.ts'
import { titleFrom } from '../chat/title.ts'
import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import { Fault, invalidField, notFound } from '../fault.ts'
import { newId } from '../id.ts'
import { GuardFailed, type Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import {
  findLoop,
  findOwnLoop,
  insertLoop,
  listIterations,
  publicIteration,
  publicLoop,
  type StoredLoop,
  updateLoop,
} from './loop-store.ts'
import type { Loop, LoopChanges, LoopDetails, NewLoop } from './schema.ts'

/** The loop if the caller may see it, else a 404. */
export async function requireLoop(context: Context, id: string): Promise<StoredLoop> {
  const loop = await findOwnLoop(context, id)
  if (!loop) throw notFound(`The loop ${id}`)
  return loop
}

/** A loop with the iterations of its latest run. */
export async function showLoop(context: Context, id: string): Promise<LoopDetails> {
  const loop = await requireLoop(context, id)
  const iterations = await listIterations(context, loop.run_id)
  return { ...publicLoop(loop), iterations: iterations.map(publicIteration) }
}

/** The state of a loop that has not run. */
const notStarted = {
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
  followed_by: null,
} satisfies Partial<StoredLoop>

export async function addLoop(context: Context, input: NewLoop): Promise<Loop> {
  await checkReferences(context, input)
  const now = context.clock.now()
  const loop: StoredLoop = {
    ...input,
    ...notStarted,
    name: input.name ?? titleFrom(input.goal),
    id: newId('loop', now),
    owner_id: ownerOf(context),
    revision: 0,
    created_at: iso(now),
    updated_at: iso(now),
  }
  const { id: loop_id, name } = loop
  await context.commit([insertLoop(loop)], [event('loop.created', { loop_id, name })], {
    answer: publicLoop(loop),
  })
  return publicLoop(loop)
}

async function checkReferences(
  context: Context,
  {
    agent_id,
    workspace_path,
    verification,
  }: Partial<Pick<Loop, 'agent_id' | 'workspace_path' | 'verification'>>,
): Promise<void> {
  if (agent_id) await namedEnabledAgent(context, agent_id, 'agent_id')
  if (workspace_path)
    throw invalidField(
      'workspace_path',
      "is outside the allowed folders: a loop works in its agent's workspace below the data folder; leave workspace_path out",
    )
  if (verification?.kind === 'command' && verification.spec.language === 'shell')
    throw new Fault(
      503,
      'unsupported',
      'A shell command needs the sandbox, which is not available here; use a JavaScript check, http, judge or human',
    )
}

/** Changes the settings of a loop; the next iteration uses them. */
export async function editLoop(context: Context, id: string, changes: LoopChanges): Promise<Loop> {
  await requireLoop(context, id)
  await checkReferences(context, changes)
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  return changeLoop(context, id, (loop) => ({ loop: { ...loop, ...given } }))
}

/** The new state of a loop, and what is stored and announced with it. */
export interface Step {
  loop: StoredLoop
  statements?: Statement[]
  events?: EventInput[]
}

/** Attempts to store a change while others change the same loop. */
const maxAttempts = 10

/**
 * Applies a change to the current state of a loop, again if another change was stored meanwhile. `change` has no effects
 * of its own; null changes nothing.
 */
export async function changeLoop(
  context: Context,
  id: string,
  change: (loop: StoredLoop) => Step | null | Promise<Step | null>,
): Promise<Loop> {
  for (let attempt = 1; ; attempt += 1) {
    const loop = await findLoop(context, id)
    if (!loop) throw notFound(`The loop ${id}`)
    const step = await change(loop)
    if (!step) return publicLoop(loop)
    const { statements = [], events = [] } = step
    try {
      const updated = event('loop.updated', { loop_id: id, status: step.loop.status }, loop.owner_id)
      await context.commit(
        [...updateLoop(step.loop, iso(context.clock.now())), ...statements],
        [...events, updated],
      )
      context.process.wake()
      return publicLoop((await findLoop(context, id)) ?? step.loop)
    } catch (thrown) {
      if (!(thrown instanceof GuardFailed) || attempt === maxAttempts) throw thrown
    }
  }
}
