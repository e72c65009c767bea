import { Group } from '@mantine/core'
import { useState } from 'react'
import type { Binding } from '../../../runtime/channels/schema.ts'
import { usePages } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { useAgentName, useAgents } from '../../parts/agents.ts'
import { AddButton } from '../../parts/buttons.tsx'
import { DeleteButton } from '../../parts/confirm.tsx'
import { EntityForm, inputsOf, useApiForm } from '../../parts/form.tsx'
import { List } from '../../parts/list.tsx'
import { optionsFor } from '../../parts/options.ts'
import { Panel, Row } from '../../parts/page.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { scopes } from './labels.ts'

const stale = ['/api/channels']

/** The bindings of a channel: which agent answers in which chats. */
export function Bindings({ channel }: { channel: string }) {
  const query = usePages('/api/channels/bindings', { query: { channel_id: channel } })
  const [adding, setAdding] = useState(false)
  const action = !adding && <AddButton onClick={() => setAdding(true)}>Add binding</AddButton>
  return (
    <Panel title="Bindings" count={query.data?.pages[0]?.total} action={action}>
      {adding && <BindingForm channel={channel} close={() => setAdding(false)} />}
      <List
        query={query}
        what="The bindings"
        items="bindings"
        empty="No bindings: the channel’s agent answers everywhere. A binding assigns another agent to a chat, group or team; the most specific one wins."
      >
        {(binding) => <BindingRow key={binding.id} binding={binding} />}
      </List>
    </Panel>
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

function BindingRow({ binding }: { binding: Binding }) {
  const { id, agent_id, session_scope, priority } = binding
  const remove = useChange((api) => api.delete('/api/channels/bindings/{id}', { params: { id } }), { stale })
  const agent = useAgentName(agent_id) ?? 'The channel’s agent'
  const scope = scopes.find(({ value }) => value === session_scope)?.label
  return (
    <Row name={agent} actions={<DeleteButton what={`the binding for ${placeOf(binding)}`} remove={remove} />}>
      <Hint style={{ overflowWrap: 'anywhere' }}>
        {placeOf(binding)} · {scope}
        {priority !== 0 && ` · priority ${priority}`}
      </Hint>
    </Row>
  )
}

function BindingForm({ channel, close }: { channel: string; close: () => void }) {
  const api = useApi()
  const agents = useAgents()
  const form = useApiForm({
    initial: { agent: '', kind: '', peer: '', thread: '', team: '', scope: 'per_peer' },
    save: ({ agent, kind, peer, thread, team, scope }) =>
      api.post('/api/channels/bindings', {
        body: {
          channel_id: channel,
          agent_id: agent || null,
          session_scope: scope as Binding['session_scope'],
          match: {
            peer_kind: (kind || null) as Binding['match']['peer_kind'],
            peer_id: peer.trim() || null,
            thread_id: thread.trim() || null,
            team_id: team.trim() || null,
          },
        },
      }),
    stale,
    saved: close,
  })
  const { text, native } = inputsOf(form)
  return (
    <EntityForm form={form} verb="Add binding" close={close} px="md" pb="md">
      {native('agent', 'Agent', [{ value: '', label: 'The channel’s agent' }, ...optionsFor(agents)])}
      {native('kind', 'Kind of chat', [
        { value: '', label: 'Any' },
        { value: 'dm', label: 'Direct messages' },
        { value: 'group', label: 'Groups' },
      ])}
      <Group grow align="flex-end">
        {text('peer', 'Chat ID', { placeholder: 'Any' })}
        {text('thread', 'Thread ID', { placeholder: 'Any' })}
        {text('team', 'Team or server ID', { placeholder: 'Any' })}
      </Group>
      {native('scope', 'Conversation', scopes)}
    </EntityForm>
  )
}
