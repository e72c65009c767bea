import { ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { conflict, invalidField, notFound } from '../fault.ts'
import { againIfLost } from '../lost-race.ts'
import { required } from '../required.ts'
import { iso } from '../time.ts'
import { loadValue, shownValues } from './blob-store.ts'
import { findDrawing } from './drawing.ts'
import { cancelled } from './ending.ts'
import {
  findExecution,
  findOwnExecution,
  findOwnRow,
  holdExecution,
  lastExecution,
  loadSignals,
  publicExecution,
  type StoredExecution,
} from './execution-store.ts'
import { linkCopied } from './file-store.ts'
import { answerTo } from './forms.ts'
import { Graph, upTo } from './graph.ts'
import { type Lineage, parsedLineage, storedLineage } from './items.ts'
import { copyRuns, findRun, latestOutputs, listRuns, partOf, type StoredRun, saveRun } from './node-run-store.ts'
import { exitOf } from './reach.ts'
import { hasAddress, resume, resumePath } from './resume.ts'
import {
  type Answer,
  activeStatuses,
  type Execute,
  type Execution,
  type ExecutionDetails,
  type Issue,
  type NodeRun,
  type Workflow,
} from './schema.ts'
import { beginExecution, type Start, stateAt } from './start.ts'
import type { Source } from './state.ts'
import { refuse, runIssues, versionIssues } from './validate.ts'
import { findWorkflow } from './workflow-store.ts'
import { requireWorkflow } from './workflows.ts'

/** Node runs included in the details of an execution. */
const shownRuns = 500

/** The execution if the caller may see it, else a 404. */
export const requireExecution = required('execution', findOwnExecution)

/** The same without its values, which may be large. */
export const requireRow = required('execution', findOwnRow)

/** `short`: large values are answered in part. */
export async function showExecution(context: Context, id: string, short: boolean): Promise<ExecutionDetails> {
  const execution = await requireExecution(context, id)
  const { rows: node_runs, total } = await listRuns(context, id, { limit: shownRuns, offset: 0 })
  const values = shownValues(execution, short)
  const shown = { ...publicExecution(execution, values), shortened: values.shortened }
  const kind = (['form', 'approval', 'call'] as const).find((one) => hasAddress(execution, one))
  const resume_path = kind ? await resumePath(context, id, kind) : null
  return { ...shown, node_runs, node_runs_total: total, resume_path }
}

/** A node run with its input and output. `short`: large values are answered in part. */
export async function requireRun(context: Context, id: string, run: { seq: number; short: boolean }): Promise<NodeRun> {
  await requireRow(context, id)
  const { seq, short } = run
  const stored = await findRun(context, id, { seq })
  if (!stored) throw notFound(`The node run ${seq}`)
  return { ...stored, ...shownValues(stored, short) }
}

export interface Started {
  execution_id: string
  status: Execution['status']
}

async function requireRunnable(context: Context, id: string, until?: string): Promise<Workflow> {
  const workflow = await requireWorkflow(context, id)
  if (workflow.status === 'disabled') throw conflict('The workflow is disabled; activate it first')
  if (until !== undefined) requireNode(workflow, 'to_node', until)
  refuse(await issuesOf(context, workflow, until))
  return workflow
}

async function issuesOf(context: Context, workflow: Workflow, until?: string): Promise<Issue[]> {
  if (until !== undefined) return runIssues(context, upTo(workflow, until))
  const { id: workflow_id, version, name } = workflow
  const drawing = await findDrawing(context, { workflow_id, version }, name)
  return drawing ? versionIssues(context, drawing.definition) : runIssues(context, workflow)
}

function requireNode({ nodes }: Workflow, field: string, id: string): void {
  if (!nodes.some((node) => node.id === id)) throw invalidField(field, `must be the id of a node: ${id} does not exist`)
}

/** Starts a workflow manually. */
export async function execute(context: Context, id: string, input: Execute, { typed = true } = {}): Promise<Started> {
  const { from_node, to_node: until, use_pin_data } = input
  const workflow = await requireRunnable(context, id, until)
  const start: Start = {
    trigger: 'manual',
    input: input.input ?? {},
    typed: typed && input.input !== undefined,
    use_pin_data,
    until,
  }
  if (from_node === undefined) return begin(context, workflow, start)
  requireNode(workflow, 'from_node', from_node)
  const last = await lastExecution(context, id)
  const from = await startAt(context, workflow, { node: from_node, last, use_pin_data })
  if (input.input === undefined) return begin(context, workflow, { ...start, input: from.input, from })
  for (const token of from.state.tokens) token.source = 'input'
  return begin(context, workflow, { ...start, from })
}

async function begin(context: Context, workflow: Workflow, start: Start): Promise<Started> {
  const { execution } = await beginExecution(context, workflow, start, (started) =>
    context.commit(started.statements, started.events, {
      answer: answerOf(started.execution),
      answer_status: 202,
    }),
  )
  return answerOf(execution)
}

const answerOf = ({ id, status }: StoredExecution): Started => ({ execution_id: id, status })

/**
 * A start at a node, with the outputs of the nodes before it in an earlier execution. A loop runs as a whole, so a node
 * inside one starts with the outermost loop around it.
 */
async function startAt(
  context: Context,
  workflow: Workflow,
  { node: start, last, use_pin_data }: { node: string; last: StoredExecution | null; use_pin_data: boolean },
): Promise<NonNullable<Start['from']> & { input: unknown }> {
  const graph = new Graph(workflow)
  const node = graph.outermostLoop(start) ?? start
  const latest = last ? await latestOutputs(context, last.id) : []
  const known = use_pin_data
    ? withPins(latest, { graph, pin_data: workflow.pin_data, now: iso(context.clock.now()) })
    : latest
  const kept = known.filter(
    ({ node_id }) => node_id !== node && graph.nodes.has(node_id) && !graph.reaches(node, node_id, null),
  )
  const state = stateAt([node])
  state.next_seq = kept.length + 1
  const runs = new Map(kept.map(({ seq }, index) => [seq, index + 1]))
  const lineages = kept.map((row) => renumbered(parsedLineage(row), runs))
  const arrived = kept.flatMap(({ node_id, output_name }, index) => {
    const routes = lineages[index]?.routes
    const outputs = routes ? Object.keys(routes) : [output_name ?? 'main']
    return outputs.flatMap((output) =>
      graph.edgesOf(node_id, output).map(({ id, target }) => ({
        target,
        edge: id,
        source: { run: index + 1, ...(routes && { output }) },
      })),
    )
  })
  const before = arrived.findLast(({ target }) => target === node)?.source
  const run = last && !before ? await findRun(context, last.id, { node_id: node }) : null
  const input = before
    ? await inputFrom(context, { run: kept[before.run - 1], source: before })
    : (run?.input.value ?? last?.input.value ?? {})
  if (before) for (const token of state.tokens) token.source = before
  for (const [merge, inputs] of Map.groupBy(arrived, ({ target }) => target)) {
    if (!graph.joins(merge)) continue
    if (merge === node) state.tokens = state.tokens.map((token) => ({ ...token, inputs }))
    else if (graph.reaches(node, merge, null)) state.merges.push({ node: merge, iteration: null, width: 1, inputs })
  }
  return {
    input,
    state,
    statements: (execution_id) => [
      ...(last ? [holdExecution(last.id), linkCopied(last.id, execution_id)] : []),
      ...kept.map((run, index) =>
        saveRun({
          ...run,
          execution_id,
          seq: index + 1,
          token: 0,
          input: run.input ?? 'null',
          input_from: (run.input_from !== null && runs.get(run.input_from)) || null,
          items: lineages[index] ? storedLineage(lineages[index]) : null,
        }),
      ),
    ],
  }
}

/** What a run has passed on: all, or the items of one output. */
async function inputFrom(
  context: Context,
  { run, source }: { run: StoredRun | undefined; source: Source },
): Promise<unknown> {
  if (!run) return null
  const { value: output } = await loadValue(context, run.output)
  return partOf({ output, items: run.items }, source)
}

/** The runs, with pin data instead of those of its nodes. */
function withPins(
  runs: readonly StoredRun[],
  { graph, pin_data, now }: { graph: Graph; pin_data: Workflow['pin_data']; now: string },
): StoredRun[] {
  const pins = [...graph.nodes.values()].filter(({ id }) => Object.hasOwn(pin_data, id))
  const own = pins.map((node, index): StoredRun => {
    const [output_name = 'main'] = [exitOf(graph, node)].flat()
    return {
      ...{ execution_id: '', seq: -1 - index, node_id: node.id, token: 0, frame: null, iteration: null, one_item: 0 },
      ...{ attempt: 1, started_at: now, completed_at: now, error: null, pinned: 1, output_name },
      ...{ input: 'null', input_from: null, output: JSON.stringify(pin_data[node.id]), items: null, logs: null },
      status: 'succeeded',
    }
  })
  return [...own, ...runs.filter(({ node_id }) => !Object.hasOwn(pin_data, node_id))]
}

/** A lineage with other numbers of runs; runs that were left out led to nothing that is known. */
function renumbered({ from, ...lineage }: Lineage, runs: ReadonlyMap<number, number>): Lineage {
  const own = from.map((source) => {
    if (typeof source !== 'object' || !('run' in source)) return null
    const run = runs.get(source.run)
    return run === undefined ? null : { ...source, run }
  })
  const isKnown = own.every((source) => source !== null)
  return isKnown ? { ...lineage, from: own } : { ...lineage, from: ['input'], parents: null }
}

/** Runs an execution once more, from the beginning or from the node that failed. */
export async function retryExecution(context: Context, id: string, from: 'start' | 'failure'): Promise<Started> {
  const execution = await requireExecution(context, id)
  if (execution.completed_at === null) throw conflict(`The execution is ${execution.status}; cancel it first`)
  const workflow = await requireRunnable(context, execution.workflow_id)
  const start: Start = {
    trigger: 'manual',
    input: execution.input.value,
    retry_of: id,
    use_pin_data: execution.use_pin_data,
  }
  if (from === 'start') return begin(context, workflow, start)
  const node = execution.error?.node_id
  if (!node) throw conflict('The execution did not fail at a node; retry it from the start')
  const resumed = continued(workflow, execution, node)
  if (resumed) return begin(context, workflow, { ...start, from: resumed })
  if (!workflow.nodes.some((one) => one.id === node))
    throw conflict('The node at which it failed was removed; retry it from the start')
  const taken = await startAt(context, workflow, { node, last: execution, use_pin_data: false })
  return begin(context, workflow, { ...start, input: taken.input, from: taken })
}

/** The state of a failed execution, in which the failed node runs again. Null if it is not there. */
function continued({ nodes }: Workflow, { id, state }: StoredExecution, failed: string): Start['from'] | null {
  const token = state.tokens.find(({ node, wait }) => node === failed && !wait)
  if (!token) return null
  const ids = new Set(nodes.map((node) => node.id))
  const needed = [...state.tokens, ...state.frames, ...state.merges].map(({ node }) => node)
  const removed = needed.find((node) => !ids.has(node))
  if (removed) throw conflict(`The node ${removed} was removed; retry the execution from the start`)
  const { cuts: _, ...rest } = state
  return {
    state: rest,
    statements: (to) => [holdExecution(id), ...copyRuns(id, to, state, token.id), linkCopied(id, to)],
  }
}

export const cancelExecution = (context: Context, id: string): Promise<Execution> =>
  againIfLost(() => cancelOnce(context, id))

async function cancelOnce(context: Context, id: string): Promise<Execution> {
  const execution = await requireRow(context, id)
  if (!(activeStatuses as readonly string[]).includes(execution.status))
    throw conflict(`The execution has already ${execution.status === 'cancelled' ? 'been cancelled' : 'ended'}`)
  const name = (await findWorkflow(context, execution.workflow_id))?.name ?? ''
  const end = await cancelled(context, { ...execution, name }, 'A person cancelled it')
  await context.commit(end.statements, end.events)
  end.announce()
  return publicExecution(await requireExecution(context, id))
}

/** Stores a person's answer to a waiting node, which then continues. */
export const answerExecution = (context: Context, id: string, answer: Answer): Promise<Execution> =>
  againIfLost(() => answerOnce(context, id, answer))

async function answerOnce(context: Context, id: string, answer: Answer): Promise<Execution> {
  const execution = await requireExecution(context, id)
  const token = execution.state.tokens.find(({ id }) => id === answer.token)
  if (execution.completed_at !== null || !token?.wait) throw conflict('Nothing is waiting for this answer any more')
  const { kind, options = [] } = token.wait
  if (kind !== 'form' && !options.includes(answer.choice))
    throw invalidField(
      'choice',
      options.length > 0 ? `must be ${options.join(' or ')}` : 'is not possible: no person is asked',
    )
  const { choice, comment, values } = answer
  const signal = await answerTo(context, token, {
    choice,
    comment,
    values,
    by: context.caller.user_id ?? ownerOf(context),
  })
  if ((await loadSignals(context, id)).has(answer.token)) throw conflict('This was already answered')
  await context.commit(resume(context, execution, { token, signal, trigger: 'manual' }))
  context.process.wake()
  return publicExecution((await findExecution(context, id)) ?? execution)
}
