import type { Budget, BudgetScope } from '../../../api/monitoring.ts'

export const windows: Record<Budget['window'], { label: string; each: string }> = {
  run: { label: 'Each run', each: 'a run' },
  day: { label: 'Each day', each: 'a day' },
  week: { label: 'Each week', each: 'a week' },
  month: { label: 'Each month', each: 'a month' },
  total: { label: 'In all, for good', each: 'in all' },
}

export const actions: Record<Budget['action'], { label: string; hint: string }> = {
  warn: { label: 'Only warns', hint: 'Calls go on' },
  block: { label: 'Stops calls', hint: 'Until the window begins anew' },
  pause: { label: 'Stops until you say so', hint: 'Waits for a person to let it go on' },
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

/** `known`: agents and providers, by whose names a scope is shown. */
export function scopeName({ kind, id }: BudgetScope, known: readonly { id: string; name: string }[]): string {
  if (id === null) return kinds[kind]
  return `${kinds[kind]} ${known.find((one) => one.id === id)?.name ?? id}`
}
