import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Binding } from '../../../runtime/channels/schema.ts'
import { useEndpoint, usePages } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { AddButton } from '../../parts/buttons.tsx'
import { DeleteButton } from '../../parts/confirm.tsx'
import { FormProblem, useApiForm } from '../../parts/form.tsx'
import { List } from '../../parts/list.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Row } from '../../parts/row.tsx'
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
        items={({ pages }) => pages.flatMap(({ bindings }) => bindings)}
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
  const agents = useEndpoint('/api/agents').data?.agents ?? []
  const { id, agent_id, session_scope, priority } = binding
  const remove = useChange((api) => api.delete('/api/channels/bindings/{id}', { params: { id } }), { stale })
  const agent = agents.find((one) => one.id === agent_id)?.name ?? 'The channel’s agent'
  const scope = scopes.find(({ value }) => value === session_scope)?.label
  return (
    <Row name={agent} actions={<DeleteButton what={`the binding for ${placeOf(binding)}`} remove={remove} />}>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {placeOf(binding)} · {scope}
        {priority !== 0 && ` · priority ${priority}`}
      </Text>
    </Row>
  )
}

function BindingForm({ channel, close }: { channel: string; close: () => void }) {
  const api = useApi()
  const agents = useEndpoint('/api/agents').data?.agents ?? []
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
  return (
    <Stack component="form" onSubmit={form.submit} px="md" pb="md">
      <FormProblem form={form} />
      <NativeSelect
        label="Agent"
        data={[
          { value: '', label: 'The channel’s agent' },
          ...agents.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        {...form.getInputProps('agent')}
      />
      <NativeSelect
        label="Kind of chat"
        data={[
          { value: '', label: 'Any' },
          { value: 'dm', label: 'Direct messages' },
          { value: 'group', label: 'Groups' },
        ]}
        {...form.getInputProps('kind')}
      />
      <Group grow align="flex-end">
        <TextInput label="Chat ID" placeholder="Any" {...form.getInputProps('peer')} />
        <TextInput label="Thread ID" placeholder="Any" {...form.getInputProps('thread')} />
        <TextInput label="Team or server ID" placeholder="Any" {...form.getInputProps('team')} />
      </Group>
      <NativeSelect label="Conversation" data={scopes} {...form.getInputProps('scope')} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" loading={form.sending}>
          Add binding
        </Button>
      </Group>
    </Stack>
  )
}
