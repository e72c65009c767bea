import { publicUrl } from '../channels/index.ts'
import type { Context } from '../context.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { addSignal, findExecution, holdWait, loadSignals, type StoredExecution } from './execution-store.ts'
import { isByLink } from './form.ts'
import { linkInput } from './item-files.ts'
import type { Signal, Wait } from './node-type.ts'
import { stepWork } from './start.ts'
import type { Token } from './state.ts'

/** The kinds of wait that end by an address. */
export type ResumeKind = 'form' | 'call' | 'approval'

/** Who answers forms of an execution may not approve in it, so the address for that is another. */
const purposeOf = (kind: ResumeKind) => (kind === 'approval' ? 'workflow approval' : 'workflow resume')

/** The paths at which a form and a call continue an execution: whoever knows one may. */
export const resumePath = async (
  { secrets }: Pick<Context, 'secrets'>,
  id: string,
  kind: ResumeKind,
): Promise<string> =>
  `/api/workflows/${kind === 'call' ? 'resume' : 'forms'}/${await secrets.seal(id, purposeOf(kind))}`

/** The addresses for texts of a workflow: without a public base URL only a path is known. */
export async function resumeUrl(context: Context, id: string, kind: ResumeKind): Promise<string> {
  const path = await resumePath(context, id, kind)
  return (await publicUrl(context, path)) ?? path
}

/** The execution of an address; null if the address is none. */
export async function executionAt(
  context: Context,
  token: string,
  kind: ResumeKind = 'form',
): Promise<StoredExecution | null> {
  const id = await context.secrets.open(token, purposeOf(kind)).catch(() => null)
  return id === null ? null : findExecution(context, id)
}

const isOf = (wait: Wait, kind: ResumeKind): boolean => wait.kind === kind && (kind !== 'approval' || isByLink(wait))

/** Whether an execution waits for what somebody does at an address. */
export const hasAddress = ({ state, completed_at }: StoredExecution, kind: ResumeKind): boolean =>
  completed_at === null && state.tokens.some(({ wait }) => wait && isOf(wait, kind))

/** The node of an execution that waits to be continued like this, and has not been yet. */
export async function waitingToken(
  context: Context,
  { id, state, completed_at }: StoredExecution,
  kind: ResumeKind,
): Promise<Token | null> {
  const waiting = completed_at === null ? state.tokens.filter(({ wait }) => wait && isOf(wait, kind)) : []
  if (waiting.length === 0) return null
  const signals = await loadSignals(context, id)
  return waiting.find((token) => !signals.has(token.id)) ?? null
}

/**
 * Ends the wait of a node with a value, whose files are then the execution's own, too. `trigger`: who answered, as of
 * `linkInput`. Refused by its guards if the wait has ended meanwhile.
 */
export const resume = (
  context: Context,
  execution: StoredExecution,
  { token, signal, trigger = 'webhook' }: { token: Token; signal: Signal; trigger?: string },
): Statement[] => [
  holdWait(execution.id, token.id, token.wait?.kind),
  addSignal(execution.id, token.id, signal),
  stepWork(context, execution),
  ...linkInput({ ...execution, trigger, input: { value: signal }, created_at: iso(context.clock.now()) }),
]
