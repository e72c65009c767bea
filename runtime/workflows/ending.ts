import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import type { Statement } from '../ports/sql.ts'
import { cancelWork } from '../work/cancel.ts'
import { requireKind } from '../work/kinds.ts'
import { listWork } from '../work/select.ts'
import { insertWork } from '../work/store.ts'
import { childExecutions, endExecution, type Load, loadOf, type StoredExecution } from './execution-store.ts'
import { waitingCalls } from './hook-response.ts'
import { errorKind, promoteKind, stepKind } from './kinds.ts'
import type { Definition, ExecutionStatus, RunError } from './schema.ts'
import { findWorkflow } from './workflow-store.ts'

type Named = Pick<StoredExecution, 'id' | 'workflow_id' | 'owner_id' | 'trigger' | 'parent_id' | 'followed_by'> & {
  name: string
}

type Extra<Type extends EventInput['type']> = Omit<
  Extract<EventInput, { type: Type }>['data'],
  'workflow_id' | 'execution_id' | 'name' | 'trigger'
>

/** An event of an execution. */
export const runEvent = <Type extends `workflow.run.${string}` & EventInput['type']>(
  type: Type,
  { id, workflow_id, name, trigger }: Pick<Named, 'id' | 'workflow_id' | 'name' | 'trigger'>,
  extra: Extra<Type>,
): EventInput => event(type, { workflow_id, execution_id: id, name, trigger, ...extra } as never) as EventInput

export interface Ending {
  statements: Statement[]
  events: EventInput[]
  announce(): void
}

interface Outcome {
  status: Exclude<ExecutionStatus, 'queued' | 'running' | 'waiting'>
  error: RunError | null
  /** Null if the workflow was deleted. */
  settings: Definition['settings'] | null
  /** So it has started no others. */
  isUnstored?: boolean
}

/** What the end of an execution causes, for the commit that ends it: who waits for it, and what starts next. */
export async function ending(context: Context, execution: Named, outcome: Outcome): Promise<Ending> {
  const { status, error } = outcome
  const message = error?.message ?? 'It failed'
  const isFailed = status === 'failed' || status === 'timed_out'
  const events = isFailed
    ? [
        runEvent('workflow.run.failed', execution, {
          status,
          error: message,
          node_id: error?.node_id ?? null,
        }),
      ]
    : [runEvent('workflow.run.finished', execution, { status })]
  // The caller may be somebody else: a shared workflow is deleted or restarted, and readers of it have executions.
  const { parent_id, followed_by, workflow_id, owner_id } = execution
  const isAwaited = mayBeAwaited(await loadOf(context, workflow_id), outcome.settings)
  const reports = isFailed && outcome.settings?.error_workflow_id && execution.trigger !== 'error'
  const children = await cancelExecutions(
    context,
    outcome.isUnstored ? [] : await childExecutions(context, execution.id),
  )
  return {
    statements: [
      ...(parent_id
        ? [insertWork(context, { kind: stepKind, subject: parent_id, lane: parent_id, owner_id }).statement]
        : []),
      ...(followed_by ? [insertWork(context, { ...followed_by, owner_id }).statement] : []),
      ...(reports ? [insertWork(context, { kind: errorKind, subject: execution.id, owner_id }).statement] : []),
      ...(isAwaited
        ? [insertWork(context, { kind: promoteKind, subject: workflow_id, lane: `workflow:${workflow_id}` }).statement]
        : []),
      ...children.statements,
    ],
    events: [...events.map((one) => ({ ...one, owner_id })), ...children.events],
    announce() {
      children.announce()
      waitingCalls(context)
        .get(execution.id)
        ?.notify(isFailed ? 'failed' : 'succeeded')
    },
  }
}

/** Whether an execution is queued, or may be before this end is stored. */
function mayBeAwaited({ queued, running, waiting }: Load, settings: Outcome['settings']): boolean {
  if (queued > 0) return true
  return settings?.mode === 'queued' || (settings?.mode === 'parallel' && running + waiting >= settings.max_concurrent)
}

/** A sub-workflow does not outlive the execution that waits for it. */
async function cancelExecutions(context: Context, children: readonly Omit<Named, 'name'>[]): Promise<Ending> {
  const endings = await Promise.all(
    children.map(async (child) => {
      const name = (await findWorkflow(context, child.workflow_id))?.name ?? ''
      return cancelled(context, { ...child, name }, 'The execution that started it has ended')
    }),
  )
  return {
    statements: endings.flatMap(({ statements }) => statements),
    events: endings.flatMap(({ events }) => events),
    announce() {
      for (const end of endings) end.announce()
    },
  }
}

/** The rows and events of a cancellation; `announce` stops what runs. */
export async function cancelled(context: Context, execution: Named, message: string): Promise<Ending> {
  const now = new Date(context.clock.now()).toISOString()
  const error: RunError = { node_id: null, code: 'cancelled', message }
  const settings = (await findWorkflow(context, execution.workflow_id))?.settings ?? null
  const end = await ending(context, execution, { status: 'cancelled', error, settings })
  const work = await listWork(context, { kind: stepKind, subject: execution.id })
  return {
    statements: [...endExecution(execution.id, 'cancelled', error, now), ...end.statements],
    events: end.events,
    announce() {
      end.announce()
      void stop(context, work, message)
    },
  }
}

async function stop(context: Context, work: Awaited<ReturnType<typeof listWork>>, message: string): Promise<void> {
  const kind = await requireKind(context, stepKind)
  for (const unit of work)
    await cancelWork(context, kind, unit, message).catch((cause: unknown) =>
      context.log.write('info', 'a step of a cancelled execution has already ended', {
        work: unit.id,
        cause: String(cause),
      }),
    )
}
