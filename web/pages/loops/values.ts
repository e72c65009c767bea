import type { Loop, NewLoop, Verification } from '../../../runtime/loops/schema.ts'
import type { InputOf } from '../../api/client.ts'
import { counted } from '../../parts/numbers.ts'
import { linesOf } from '../../parts/text.ts'

type Body = NonNullable<InputOf<'POST', '/api/loops'>['body']>

/** The fields of the loop form. The members of the verification and the budget are fields of their own. */
export interface LoopValues extends Record<string, unknown> {
  name: string
  goal: string
  /** One per line. */
  success_criteria: string
  kind: Verification['kind']
  instructions: string
  language: 'javascript' | 'shell'
  code: string
  url: string
  question: string
  constraints: string
  agent_id: string | null
  workspace_path: string | null
  execution_mode: Loop['execution_mode']
  max_iterations: number
  tokens: number | null
  usd: number | null
  minutes: number | null
  /** Text, since it is a choice of a list. */
  interval_seconds: string
  on_blocked: Loop['on_blocked']
}

/** The daemon's own defaults. */
const newLoop: LoopValues = {
  name: '',
  goal: '',
  success_criteria: '',
  kind: 'judge',
  instructions: '',
  language: 'javascript',
  code: '',
  url: '',
  question: '',
  constraints: '',
  agent_id: null,
  workspace_path: null,
  execution_mode: 'auto',
  max_iterations: 20,
  tokens: null,
  usd: null,
  minutes: null,
  interval_seconds: '0',
  on_blocked: 'ask',
}

/** The values of a loop, or of a template whose other fields have their defaults. */
export function valuesOf(loop: Partial<NewLoop>): LoopValues {
  const { success_criteria = [], verification, budget, interval_seconds = 0, ...rest } = loop
  const known = Object.entries(rest).filter(([name, value]) => name in newLoop && value !== undefined)
  return {
    ...newLoop,
    ...(Object.fromEntries(known) as Partial<LoopValues>),
    success_criteria: success_criteria.join('\n'),
    ...(verification && { kind: verification.kind, ...verification.spec }),
    ...budget,
    interval_seconds: String(interval_seconds),
  }
}

export function bodyOf(values: LoopValues): Body {
  const { name, goal, constraints, agent_id, execution_mode, max_iterations, on_blocked } = values
  return {
    ...(name.trim() && { name: name.trim() }),
    goal,
    success_criteria: linesOf(values.success_criteria),
    verification: verificationOf(values),
    constraints,
    agent_id,
    workspace_path: values.workspace_path?.trim() || null,
    execution_mode,
    max_iterations,
    budget: { tokens: values.tokens, usd: values.usd, minutes: values.minutes },
    interval_seconds: Number(values.interval_seconds),
    on_blocked,
  }
}

function verificationOf({ kind, instructions, language, code, url, question }: LoopValues): Verification {
  if (kind === 'judge') return { kind, spec: { instructions } }
  if (kind === 'command') return { kind, spec: { language, code } }
  return kind === 'http' ? { kind, spec: { url } } : { kind, spec: { question } }
}

/** The field of the form that shows the message for a path of the request. */
export const fieldOf = (path: string): string =>
  path
    .replace(/^(?:verification|budget)\.(?:spec\.)?/, '')
    .replace(/^success_criteria\..*$/, 'success_criteria')

/** How much of the tightest limit is used, in percent. */
export function usedOf({
  iteration,
  max_iterations,
  budget,
  tokens_used,
  cost_usd,
  active_seconds,
}: Loop): number {
  const parts = [
    iteration / max_iterations,
    budget.tokens === null ? 0 : tokens_used / budget.tokens,
    budget.usd === null ? 0 : cost_usd / budget.usd,
    budget.minutes === null ? 0 : active_seconds / 60 / budget.minutes,
  ]
  return Math.min(100, Math.max(...parts.map((part) => (Number.isFinite(part) ? part : 1))) * 100)
}

const ended: readonly Loop['status'][] = ['completed', 'failed', 'cancelled']
export const isEnded = ({ status }: Pick<Loop, 'status'>) => ended.includes(status)

export function verdictText({ score, complete, missing }: NonNullable<Loop['last_verdict']>): string {
  if (complete) return `Complete, ${Math.round(score)} of 100`
  const open = missing.length > 0 ? `, ${counted(missing.length, 'thing', 'things')} missing` : ''
  return `Not complete, ${Math.round(score)} of 100${open}`
}
