import { useEndpoint } from '../../api/query.ts'
import type { Choices } from './schema-form.tsx'

/** What can be chosen in the fields of nodes, by the format of their schema. */
export function useChoices(): Choices {
  const agents = useEndpoint('/api/agents').data?.agents ?? []
  const workflows = useEndpoint('/api/workflows', { query: { limit: 200 } }).data?.workflows ?? []
  return {
    agent: agents.map(({ id, name }) => ({ value: id, label: name })),
    workflow: workflows.map(({ id, name }) => ({ value: id, label: name })),
    timezone: zones,
  }
}

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => ({ value: zone, label: zone }))
