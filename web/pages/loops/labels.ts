import type { Iteration, Loop, StopReason, Verification } from '../../../runtime/loops/schema.ts'
import { counted } from '../../parts/numbers.ts'
import { statusesOf } from '../../parts/statuses.ts'
import reasons from './stop-reasons.json' with { type: 'json' }
import verifications from './verification-labels.json' with { type: 'json' }

export const loopStatus = statusesOf<Loop['status']>({
  draft: 'Not started',
  blocked: 'Needs you',
  cancelled: 'Stopped',
})

export const iterationStatus = statusesOf<Iteration['status']>({
  finished: 'Not complete',
  cancelled: 'Stopped',
})

const ended: readonly Loop['status'][] = ['completed', 'failed', 'cancelled']
export const isEnded = ({ status }: Pick<Loop, 'status'>) => ended.includes(status)

/** How much of the tightest limit is used, in percent. */
export function usedOf({ iteration, max_iterations, budget, ...used }: Loop): number {
  const parts = [
    iteration / max_iterations,
    budget.tokens === null ? 0 : used.tokens_used / budget.tokens,
    budget.usd === null ? 0 : used.cost_usd / budget.usd,
    budget.minutes === null ? 0 : used.active_seconds / 60 / budget.minutes,
  ]
  return Math.min(100, Math.max(...parts.map((part) => (Number.isFinite(part) ? part : 1))) * 100)
}

export function verdictText({ score, complete, missing }: NonNullable<Loop['last_verdict']>): string {
  if (complete) return `Complete, ${Math.round(score)} of 100`
  const open = missing.length > 0 ? `, ${counted(missing.length, 'thing', 'things')} missing` : ''
  return `Not complete, ${Math.round(score)} of 100${open}`
}

/** Why a loop stopped, and what would help. */
export const stopReasons: Record<StopReason, { title: string; help: string | null }> = reasons

/** Why a loop stopped, in a few words. */
export function problemOf({ stop_reason, error }: Pick<Loop, 'stop_reason' | 'error'>): string | null {
  if (stop_reason === 'max_iterations' || stop_reason === 'budget') return stopReasons[stop_reason].title
  return error
}

export const verificationLabels: Record<Verification['kind'], { label: string; description: string }> = verifications
