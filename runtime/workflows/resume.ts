import { publicUrl } from '../channels/index.ts'
import type { Context } from '../context.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { addSignal, findExecution, holdWait, loadSignals, type StoredExecution } from './execution-store.ts'
import { linkReceived } from './item-files.ts'
import { stepWork } from './start.ts'
import type { Token } from './state.ts'

/** The kinds of wait that end when somebody opens an address. */
export type ResumeKind = 'form' | 'call'

const purpose = 'workflow resume'

/** The paths at which a form and a call continue an execution: whoever knows one may. */
export const resumePath = async (
  { secrets }: Pick<Context, 'secrets'>,
  id: string,
  kind: ResumeKind,
): Promise<string> => `/api/workflows/${kind === 'form' ? 'forms' : 'resume'}/${await secrets.seal(id, purpose)}`

/** The addresses for texts of a workflow: without a public base URL only a path is known. */
export async function resumeUrl(context: Context, id: string, kind: ResumeKind): Promise<string> {
  const path = await resumePath(context, id, kind)
  return (await publicUrl(context, path)) ?? path
}

/** The execution of an address; null if the address is none. */
export async function executionAt(context: Context, token: string): Promise<StoredExecution | null> {
  const id = await context.secrets.open(token, purpose).catch(() => null)
  return id === null ? null : findExecution(context, id)
}

/** The node of an execution that waits to be continued like this, and has not been yet. */
export async function waitingToken(
  context: Context,
  { id, state, completed_at }: StoredExecution,
  kind: ResumeKind,
): Promise<Token | null> {
  const token = completed_at === null ? state.tokens.find(({ wait }) => wait?.kind === kind) : undefined
  if (!token) return null
  const signals = await loadSignals(context, id)
  return signals.has(token.id) ? null : token
}

/** Ends the wait of a node with a value. Refused by its guards if it has ended meanwhile. */
export const resume = (
  context: Context,
  execution: StoredExecution,
  { token, kind, value }: { token: Token; kind: ResumeKind; value: unknown },
): Statement[] => [
  holdWait(execution.id, token.id, kind),
  addSignal(execution.id, token.id, { type: 'wake', value }),
  stepWork(context, execution),
  ...linkReceived(execution, value, iso(context.clock.now())),
]
