import type { Budget, BudgetScope } from '../../../runtime/ledger/schema.ts'

export const windows: Record<Budget['window'], { label: string; each: string }> = {
  run: { label: 'Each run', each: 'a run' },
  day: { label: 'Each day', each: 'a day' },
  week: { label: 'Each week', each: 'a week' },
  month: { label: 'Each month', each: 'a month' },
  total: { label: 'Lifetime total', each: 'in total' },
}

export const actions: Record<Budget['action'], { label: string; hint: string }> = {
  warn: { label: 'Warn only', hint: 'Calls continue' },
  block: { label: 'Block calls', hint: 'Until the period resets' },
  pause: { label: 'Pause calls', hint: 'Until a person resumes them' },
}

const kinds: Record<BudgetScope['kind'], string> = {
  global: 'Everything',
  agent: 'Agent',
  job: 'Job',
  loop: 'Loop',
  project: 'Project',
  conversation: 'Conversation',
  provider: 'Provider',
}

/** The name of a scope; `known` are agents and providers. */
export function scopeName({ kind, id }: BudgetScope, known: readonly { id: string; name: string }[]): string {
  if (id === null) return kinds[kind]
  return `${kinds[kind]} ${known.find((one) => one.id === id)?.name ?? id}`
}
