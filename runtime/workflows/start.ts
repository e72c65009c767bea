import { ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import { conflict, invalid, rateLimited } from '../fault.ts'
import { newId } from '../id.ts'
import { againIfLost } from '../lost-race.ts'
import type { Statement, Written } from '../ports/sql.ts'
import { processState } from '../process-state.ts'
import { iso, second } from '../time.ts'
import { newUnit } from '../work/begin.ts'
import { requireKind } from '../work/kinds.ts'
import { insertWork } from '../work/store.ts'
import { encoded, none, storeContent, type Value } from './blob-store.ts'
import { cancelled, ending, runEvent } from './ending.ts'
import {
  endExecution,
  findRow,
  insertExecution,
  loadOf,
  type OpenExecution,
  openExecutions,
  type StoredExecution,
} from './execution-store.ts'
import { entriesOf, upTo } from './graph.ts'
import { inputProblems } from './input.ts'
import { linkInput } from './item-files.ts'
import { promoteKind, stepKind } from './kinds.ts'
import type { Definition, TriggerKind, Workflow } from './schema.ts'
import { addToken, emptyState, type State } from './state.ts'

/** Maximum depth of workflows that start each other, as sub-workflows, by events or by agents. */
export const maxDepth = 10

export const tooDeep = `Workflows can start each other at most ${maxDepth} levels deep`

/** Executions of one workflow that have not ended. */
const maxOpen = 1_000

export interface Start {
  trigger: TriggerKind
  input: unknown
  /** A person typed the input. */
  typed?: boolean
  /** The trigger node that has fired. Default: the one for `trigger`. */
  node?: string
  use_pin_data?: boolean
  retry_of?: string
  parent?: { id: string; token: number }
  /** Nothing waits for its end. */
  detached?: boolean
  /** It begins at once, without waiting for a tick. */
  immediate?: boolean
  followed_by?: { kind: string; subject: string }
  /** The node after which it ends. */
  until?: string | undefined
  /** Where it starts, if not at a trigger, with the runs that it takes over. */
  from?: { state: State; statements(execution: string): Statement[] }
}

export interface StartedExecution {
  execution: StoredExecution
  statements: Statement[]
  events: EventInput[]
  /** Call with the result of the commit, if the start is `immediate`. */
  begin(written: readonly Written[]): void
  /** Call after the commit. */
  announce(): void
}

/** The rows and events of a new execution, for one commit. Throws a `Fault` that says why it cannot start. */
export async function startExecution(context: Context, workflow: Workflow, start: Start): Promise<StartedExecution> {
  // The error workflow reports the refusal; error workflows do not report their own errors.
  if ((context.chain_depth ?? 0) > maxDepth && start.trigger !== 'error') throw conflict(tooDeep)
  const issues = inputProblems(workflow.input_schema, start.input)
  if (issues.length > 0 && start.trigger !== 'error') throw invalid(issues)
  const { queued, running, waiting } = await loadOf(context, workflow.id)
  const open = queued + running + waiting
  const { mode, max_concurrent } = workflow.settings
  if (mode === 'single' && open > 0)
    throw conflict(`The workflow is already running; it allows one execution at a time`, {
      execution_id: (await openExecutions(context, workflow.id))[0]?.id,
    })
  if (open >= maxOpen) throw rateLimited(60, `The workflow has ${open} open executions; wait until some have ended`)
  const busy = mode === 'parallel' ? running : open
  const isQueued = (mode === 'queued' && busy > 0) || (mode === 'parallel' && busy >= max_concurrent)
  const execution = newExecution(context, workflow, { ...start, isQueued })
  const replacing = mode === 'restart' ? await openExecutions(context, workflow.id) : []
  const ends = await Promise.all(replacing.map((one) => replaced(context, workflow, one)))
  const { id, owner_id } = execution
  const kind = start.immediate && !isQueued ? await requireKind(context, stepKind) : null
  const unit = kind && newUnit(context, kind, { subject: id, lane: id, owner_id })
  return {
    execution,
    statements: [
      ...ends.flatMap(({ statements }) => statements),
      ...storeContent(execution.input),
      insertExecution(execution, { alone: mode === 'single' || mode === 'restart' }),
      ...linkInput(execution),
      ...(start.from?.statements(id) ?? []),
      isQueued ? promoteWork(context, workflow.id) : (unit?.statement ?? stepWork(context, execution)),
    ],
    events: [
      ...ends.flatMap(({ events }) => events),
      ...(isQueued ? [] : [runEvent('workflow.run.started', { ...execution, name: workflow.name }, {})]),
    ],
    begin: (written) => unit?.begin(written),
    announce() {
      for (const end of ends) end.announce()
    },
  }
}

/** An execution that fails immediately, so that its owner sees why the event started nothing. */
export async function refusedExecution(context: Context, workflow: Workflow, start: Start): Promise<StartedExecution> {
  const execution = newExecution(context, workflow, { ...start, isQueued: false })
  const error = { node_id: start.node ?? null, code: 'too_deep', message: tooDeep }
  const { name, settings } = workflow
  const end = await ending(context, { ...execution, name }, { status: 'failed', error, settings })
  return {
    execution,
    statements: [
      ...storeContent(execution.input),
      insertExecution(execution, { alone: false }),
      ...endExecution(execution.id, 'failed', error, execution.created_at),
      ...end.statements,
    ],
    events: end.events,
    begin: () => undefined,
    announce: end.announce,
  }
}

async function replaced(context: Context, { name }: Workflow, { id }: OpenExecution) {
  const execution = await findRow(context, id)
  if (!execution) throw conflict('The execution has already ended')
  return cancelled(context, { ...execution, name }, 'A newer execution has replaced it')
}

export const stepWork = (context: Context, { id, owner_id }: Pick<StoredExecution, 'id' | 'owner_id'>): Statement =>
  insertWork(context, { kind: stepKind, subject: id, lane: id, owner_id }).statement

export const promoteWork = (context: Context, workflow: string): Statement =>
  insertWork(context, { kind: promoteKind, subject: workflow, lane: `workflow:${workflow}` }).statement

export const deadlineOf = (now: number, { timeout_seconds }: Definition['settings']): string | null =>
  timeout_seconds === null ? null : iso(now + timeout_seconds * second)

/** An execution that is not stored yet. */
export function newExecution(
  context: Context,
  workflow: Workflow,
  start: Start & { isQueued: boolean },
): StoredExecution {
  const now = context.clock.now()
  const { until } = start
  return {
    id: newId('exec', now),
    owner_id: ownerOf(context),
    workflow_id: workflow.id,
    version: workflow.version,
    trigger: start.trigger,
    status: start.isQueued ? 'queued' : 'running',
    revision: 0,
    state: {
      ...(start.from?.state ?? stateAt(entriesOf(until === undefined ? workflow : upTo(workflow, until), start))),
      ...(until !== undefined && { until }),
      typed: start.typed === true,
    },
    input: inputValue(context, start.input ?? null),
    output: none,
    error: null,
    use_pin_data: start.use_pin_data ?? false,
    retry_of: start.retry_of ?? null,
    parent_id: start.detached ? null : (start.parent?.id ?? null),
    parent_token: start.parent?.token ?? null,
    depth: context.chain_depth ?? 0,
    followed_by: start.followed_by ?? null,
    deadline_at: start.isQueued ? null : deadlineOf(now, workflow.settings),
    created_at: iso(now),
    started_at: start.isQueued ? null : iso(now),
    completed_at: null,
  }
}

/** A large one is not copied. */
function inputValue(context: Context, input: unknown): Value {
  const json = JSON.stringify(input) ?? 'null'
  const value = encoded(context, json)
  return { ...value, value: value.content ? input : (JSON.parse(json) as unknown) }
}

export function stateAt(nodes: readonly string[]): State {
  const state = emptyState()
  for (const node of nodes) addToken(state, { node, source: 'input', iteration: null, width: 1 })
  return state
}

/** The last start of each workflow that is being stored. */
const lastStarts = processState(() => new Map<string, Promise<unknown>>())

type Store = (started: StartedExecution) => Promise<readonly Written[]>

/**
 * Starts an execution and stores it. Starts of one workflow take turns, since its mode decides by what is open; one that
 * lost to another process, or to the end of an execution that it replaces, decides again.
 */
export async function beginExecution(
  context: Context,
  workflow: Workflow,
  start: Start,
  store: Store = ({ statements, events }) => context.commit(statements, events),
): Promise<StartedExecution> {
  const started = await inTurn(context, workflow.id, () =>
    againIfLost(async () => {
      const prepared = await startExecution(context, workflow, start)
      prepared.begin(await store(prepared))
      return prepared
    }),
  )
  started.announce()
  return started
}

async function inTurn<Result>(context: Context, id: string, run: () => Promise<Result>): Promise<Result> {
  const last = lastStarts(context)
  const before = last.get(id)
  const turn = (async () => {
    await before?.catch(() => undefined)
    return run()
  })()
  last.set(id, turn)
  try {
    return await turn
  } finally {
    if (last.get(id) === turn) last.delete(id)
  }
}
