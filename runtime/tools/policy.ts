import type { Effect, ExecutionMode, Mode, Risk } from './modes.ts'

/** Patterns are names, `prefix*`, or `*` for all. */
export const matchesAny = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name))

export interface Circumstances {
  mode: Mode
  execution_mode: ExecutionMode
  effect: Effect
  risk: Risk
  /** A permission of the owner covers the call. */
  permitted: boolean
  /** The conversation contains untrusted text. */
  tainted: boolean
}

export type Decision = { do: 'run' } | { do: 'ask' } | { do: 'refuse'; reason: string }

const run: Decision = { do: 'run' }
const ask: Decision = { do: 'ask' }
const refuse = (reason: string): Decision => ({ do: 'refuse', reason })

/** Whether a call runs, asks a person, or is refused. Pure. */
export function decide(case_: Circumstances): Decision {
  if (case_.mode === 'chat') return refuse('This conversation is in chat mode, which uses no tools: answer in text')
  if (case_.effect === 'read') return case_.tainted && case_.risk !== 'low' ? asks(case_) : run
  if (case_.mode === 'plan' && case_.effect === 'propose') return case_.tainted ? asks(case_) : run
  if (case_.mode === 'plan')
    return refuse('This conversation is in plan mode, which changes nothing: make this a step of the plan')
  if (case_.execution_mode === 'read_only') return refuse('This conversation may only read: say what you would change')
  if (case_.effect === 'own') return case_.tainted && case_.risk !== 'low' ? asks(case_) : run
  if (case_.execution_mode === 'autonomous') return run
  if (case_.execution_mode === 'auto' && case_.risk !== 'high' && !case_.tainted) return run
  return case_.permitted && case_.risk !== 'high' && !case_.tainted ? run : asks(case_)
}

const asks = ({ execution_mode }: Circumstances): Decision => (execution_mode === 'autonomous' ? run : ask)
