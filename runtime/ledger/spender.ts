import { z } from 'zod'

/** The purpose that tokens are spent on: `projects` are their tasks, `project_developer` plans, reviews and audits them. */
export const Category = z.enum(['chat', 'scheduled', 'internal', 'project_developer', 'loops', 'projects'])
export type Category = z.output<typeof Category>

/** The category of a conversation's turns, by its kind; a channel counts as chat. */
export function categoryOf(kind: string): Category {
  if (kind === 'scheduled' || kind === 'internal') return kind
  return kind === 'loop' ? 'loops' : 'chat'
}

/** On whose behalf a model is called; absent members do not apply. */
export interface Spender {
  category: Category
  agent_id?: string | null
  conversation_id?: string | null
  message_id?: string | null
  /** The turn, job run or loop iteration, for budgets of the window `run`. Default: the message, else the call. */
  run_ref?: string | null
  job_id?: string | null
  loop_id?: string | null
  project_id?: string | null
  /** USD that the project may spend in total and this task of it (`run_ref`); null for no limit. */
  caps?: { project_usd: number | null; task_usd: number | null }
  /** Lifetime budget of a helper's conversation. */
  delegate_caps?: { usd: number; tokens: number }
  /** What the loop may spend from `since` (ISO 8601) on; null for no limit. */
  loop_budget?: { since: string; usd: number | null; tokens: number | null; by_person: boolean }
}

/** Who pays for a turn; part of its work's payload. */
export interface TurnSpender {
  /** Default: by the kind of the conversation. */
  category?: Category
  job_id?: string | null
  caps?: Spender['caps']
  delegate_caps?: Spender['delegate_caps']
  loop_id?: string
  loop_budget?: Spender['loop_budget']
  run_ref?: string
  /** The root of the files that the turn works on, if it is not that of its project. */
  worktree?: string
  /** The answer that a helper works for. */
  answer?: { conversation_id: string; message_id: string }
}
