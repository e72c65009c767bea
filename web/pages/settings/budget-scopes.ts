import type { BudgetScope } from '../../../runtime/ledger/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { useAgents } from '../../parts/agents.ts'

export const everything: BudgetScope = { kind: 'global', id: null }

const kinds: Record<BudgetScope['kind'], string> = {
  global: 'Everything',
  agent: 'Agent',
  job: 'Job',
  loop: 'Loop',
  project: 'Project',
  conversation: 'Conversation',
  provider: 'Provider',
}

export const useProviders = () => useEndpoint('/api/providers').data?.providers ?? []

/** Names scopes, such as "Agent Hearth". */
export function useScopeNames() {
  const things = [...useAgents(), ...useProviders()]
  return ({ kind, id }: BudgetScope) =>
    id === null ? kinds[kind] : `${kinds[kind]} ${things.find((thing) => thing.id === id)?.name ?? id}`
}
