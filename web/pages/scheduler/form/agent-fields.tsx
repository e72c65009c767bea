import { Anchor, Autocomplete, Group, Select, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { agentsQuery } from '../../../api/agents.ts'
import { providersQuery } from '../../../api/providers.ts'
import { useApi } from '../../../app/services.tsx'
import type { Draft, Fields } from './draft.ts'

const modes: { value: Draft['execution_mode']; label: string }[] = [
  { value: 'read_only', label: 'Reads only: tools that change something are not offered' },
  { value: 'approval_required', label: 'Asks before acting: waits for your yes' },
  { value: 'auto', label: 'Asks when risky' },
  { value: 'autonomous', label: 'Acts on its own: nothing waits' },
]

/** Who does it, with what. The tools are those of the agent. */
export function AgentFields({ values, errors, change }: Fields) {
  const api = useApi()
  const agents = useQuery(agentsQuery(api)).data?.agents ?? []
  const providers = useQuery(providersQuery(api)).data?.providers ?? []
  const chosen = agents.find(({ id, is_default }) => (values.agent_id ? id === values.agent_id : is_default))
  const models = providers
    .filter(({ configured }) => configured)
    .flatMap(({ id, models }) => models.map((model) => `${id}/${model.id}`))
  return (
    <>
      <Group grow align="flex-start">
        <Select
          label="Agent"
          placeholder={chosen?.name ?? 'The default agent'}
          data={agents
            .filter(({ enabled, id }) => enabled || id === values.agent_id)
            .map(({ id, name, enabled }) => ({ value: id, label: enabled ? name : `${name} (off)` }))}
          value={values.agent_id}
          error={errors.agent_id ?? errors['target.id']}
          allowDeselect={false}
          searchable
          onChange={(agent_id) => change({ agent_id })}
        />
        <Autocomplete
          label="Model"
          placeholder="The agent’s own"
          data={['offline/offline', ...new Set(models)]}
          limit={50}
          error={errors.model}
          value={values.model ?? ''}
          onChange={(model) => change({ model: model.trim() || null })}
        />
      </Group>
      <Select
        label="How much it may do without asking"
        data={modes}
        value={values.execution_mode}
        error={errors.execution_mode}
        allowDeselect={false}
        onChange={(mode) => change({ execution_mode: mode as Draft['execution_mode'] })}
      />
      {chosen && <Tools allow={chosen.tools.allow} deny={chosen.tools.deny} agent={chosen} />}
    </>
  )
}

interface ToolsProps {
  allow: string[]
  deny: string[]
  agent: { id: string; name: string }
}

function Tools({ allow, deny, agent }: ToolsProps) {
  const allowed = allow.includes('*') ? 'All tools' : allow.join(', ') || 'No tools'
  return (
    <Text size="xs" c="dimmed">
      {allowed}
      {deny.length > 0 && ` without ${deny.join(', ')}`}, as{' '}
      <Anchor component={Link} href={`/agents/${agent.id}`} inherit>
        {agent.name}
      </Anchor>{' '}
      may use them.
    </Text>
  )
}
