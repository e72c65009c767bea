import { IconRoute } from '@tabler/icons-react'
import type { Binding } from '../../../runtime/channels/schema.ts'
import { useAgents } from '../../parts/agents.ts'
import { DeleteButton } from '../../parts/confirm.tsx'
import { ResourcePage } from '../../parts/resource-page.tsx'
import { useLabels } from '../../parts/schema/use-body-schema.ts'
import { Hint } from '../../parts/typography.tsx'

const path = '/api/channels/bindings'

/** The bindings of a channel: which agent answers in which chats. */
export function Bindings({ channel }: { channel: string }) {
  const agents = useAgents()
  const scopeOf = useLabels(path, 'session_scope')
  const agentOf = useLabels(path, 'agent_id')
  return (
    <ResourcePage
      path={path}
      items="bindings"
      noun="binding"
      title="Bindings"
      icon={IconRoute}
      empty="The channel’s agent answers everywhere. A binding assigns another agent to a chat, group or team; the most specific one wins."
      query={{ channel_id: channel }}
      row={(binding) => ({
        name: agents.find(({ id }) => id === binding.agent_id)?.name ?? binding.agent_id ?? agentOf(),
        children: (
          <Hint style={{ overflowWrap: 'anywhere' }}>
            {placeOf(binding)} · {scopeOf(binding.session_scope)}
            {binding.priority !== 0 && ` · priority ${binding.priority}`}
          </Hint>
        ),
        actions: (
          <DeleteButton
            what={`the binding for ${placeOf(binding)}`}
            remove={(api) => api.delete(`${path}/{id}`, { params: { id: binding.id } })}
          />
        ),
      })}
      form={{
        start: { channel_id: channel },
        fields: { channel_id: false, project_id: false },
        layout: ['agent_id', 'match', 'session_scope', 'priority'],
        effect: false,
      }}
    />
  )
}

const places = { peer_kind: 'kind', peer_id: 'chat', thread_id: 'thread', team_id: 'team' } as const

function placeOf({ match }: Binding): string {
  const named = Object.entries(places).flatMap(([name, label]) => {
    const value = match[name as keyof typeof places]
    return value === null ? [] : [`${label} ${value}`]
  })
  return named.join(', ') || 'everywhere'
}
