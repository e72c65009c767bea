import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { agentsQuery } from '../../api/agents.ts'
import { useApi } from '../../app/services.tsx'

interface AgentSelectProps {
  /** Empty is all. */
  value: string
  change: (id: string) => void
}

/** Nothing where there is no choice. */
export function AgentSelect({ value, change }: AgentSelectProps) {
  const agents = useQuery(agentsQuery(useApi())).data?.agents ?? []
  if (agents.length < 2 && value === '') return null
  return (
    <Select
      label="Agent"
      placeholder="All agents"
      clearable
      w={200}
      data={agents.map(({ id, name }) => ({ value: id, label: name }))}
      value={value || null}
      onChange={(id) => change(id ?? '')}
    />
  )
}
