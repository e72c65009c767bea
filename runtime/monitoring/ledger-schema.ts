import { z } from 'zod'

/** What tokens are spent for. */
export const Category = z.enum(['chat', 'scheduled', 'internal', 'project_developer', 'loops', 'projects'])
export type Category = z.output<typeof Category>

/** What the turns of a conversation are spent for, by its kind; what comes through a channel is a chat. */
export function categoryOf(kind: string): Category {
  if (kind === 'scheduled' || kind === 'internal') return kind
  return kind === 'loop' ? 'loops' : 'chat'
}

/** On whose behalf a model is called; what is left out does not apply. */
export interface Spender {
  category: Category
  agent_id?: string | null
  conversation_id?: string | null
  message_id?: string | null
  /** The turn, job run or loop iteration that budgets of the window `run` are for. Default: the message, else the call. */
  run_ref?: string | null
  job_id?: string | null
  loop_id?: string | null
  project_id?: string | null
}

/** What a call may cost before it is made, or has cost after it. */
export interface Cost {
  input_tokens: number
  output_tokens: number
  cost_usd: number
}

/** A call of the ledger that has been sent and not settled. */
export interface OpenCall {
  id: string
  at: number
  provider: string
  model: string
  spender: Spender
  run_ref: string
}

/** How a call ended. `cancelled` by a person, the daemon's stop or the kill switch. */
export interface CallEnd extends Cost {
  status: 'succeeded' | 'failed' | 'cancelled'
  /** The vendor sent no counts, or the answer broke off before them. */
  estimated: boolean
  error: string | null
}
