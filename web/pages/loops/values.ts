import type { Loop } from '../../../runtime/loops/schema.ts'
import { counted } from '../../parts/numbers.ts'

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
