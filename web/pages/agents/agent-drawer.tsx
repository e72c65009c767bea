import { Alert, Tabs } from '@mantine/core'
import { IconRobotOff } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import type { Agent } from '../../../runtime/tools/agent.ts'
import type { AnswerOf } from '../../api/client.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { Choice } from '../../parts/choice.tsx'
import { EntityForm, inputsOf, useApiForm } from '../../parts/form.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { EmptyState, Loaded, SkeletonRows } from '../../parts/list.tsx'
import {
  BasicFields,
  LimitFields,
  MemoryFields,
  ModelFields,
  SandboxFields,
  ToolFields,
} from './agent-fields.tsx'

interface AgentDrawerProps {
  /** `new` or the id of an agent. */
  id: string
  /** Undefined while the list is loading. */
  agents: Agent[] | undefined
  close: () => void
}

export function AgentDrawer({ id, agents, close }: AgentDrawerProps) {
  const agent = agents?.find((candidate) => candidate.id === id)
  const title = id === 'new' ? 'New agent' : (agent?.name ?? 'Agent')
  return (
    <FormDrawer title={title} close={close}>
      {({ leave }) => {
        if (id === 'new') return <NewAgentForm close={leave} />
        if (!agent) return <Missing loading={!agents} />
        return <AgentForm key={id} agent={agent} close={leave} />
      }}
    </FormDrawer>
  )
}

function Missing({ loading }: { loading: boolean }) {
  if (loading) return <SkeletonRows count={6} />
  return (
    <EmptyState icon={<IconRobotOff />} title="Agent not found">
      It may have been deleted.
    </EmptyState>
  )
}

const groups = [
  {
    id: 'basics',
    label: 'Basics',
    fields: BasicFields,
    of: /^(name|desc|avatar|enabled|system_prompt|users)/,
  },
  { id: 'model', label: 'Model', fields: ModelFields, of: /^(model|temperature|max_output_tokens)/ },
  { id: 'tools', label: 'Tools', fields: ToolFields, of: /^(tools|execution_mode|skills|mcp_servers)/ },
  { id: 'memory', label: 'Memory', fields: MemoryFields, of: /^memory/ },
  { id: 'sandbox', label: 'Sandbox', fields: SandboxFields, of: /^sandbox/ },
  { id: 'limits', label: 'Limits', fields: LimitFields, of: /^(max_steps|budget)/ },
] as const

interface AgentFormProps {
  agent: Agent
  close: () => void
}

const stale = ['/api/agents']

function useAgentForm(agent: Agent, close: () => void) {
  const api = useApi()
  return useApiForm({
    initial: agent,
    save: (_, body) => api.put('/api/agents/{id}', { params: { id: agent.id }, body }),
    stale,
    saved({ name }) {
      announce(`${name} was saved`)
      close()
    },
  })
}

function AgentForm({ agent, close }: AgentFormProps) {
  const form = useAgentForm(agent, close)
  const [tab, setTab] = useState<string | null>('basics')
  const firstError = Object.keys(form.errors)[0]
  useEffect(() => {
    const group = groups.find(({ of }) => firstError && of.test(firstError))
    if (group) setTab(group.id)
  }, [firstError])
  return (
    <EntityForm
      form={form}
      verb="Save"
      close={close}
      closeLabel={form.dirty ? 'Discard' : 'Close'}
      disabled={!form.dirty}
      noValidate
    >
      {firstError && (
        <Alert color="red" role="alert" title="Not saved">
          {form.errors[firstError]}
        </Alert>
      )}
      <Tabs value={tab} onChange={setTab}>
        <Tabs.List style={{ flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden' }}>
          {groups.map(({ id, label }) => (
            <Tabs.Tab key={id} value={id}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {groups.map(({ id, fields: Fields }) => (
          <Tabs.Panel key={id} value={id} pt="md">
            <Fields form={form} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </EntityForm>
  )
}

const scratch = 'scratch'
const fromScratch = { label: 'Scratch', description: 'Write the instructions yourself.' }

type Archetype = AnswerOf<'GET', '/api/agents/archetypes'>['archetypes'][number]

const choiceOf = ({ id, name, description }: Archetype) => [id, { label: name, description }] as const

/** A name and a template; the rest has defaults and is edited afterwards. */
function NewAgentForm({ close }: { close: () => void }) {
  const api = useApi()
  const [, navigate] = useLocation()
  const archetypes = useEndpoint('/api/agents/archetypes', {}, { staleTime: Number.POSITIVE_INFINITY })
  const templateOf = (start: string) => archetypes.data?.archetypes.find(({ id }) => id === start)
  const form = useApiForm({
    initial: { name: '', start: scratch },
    save({ name, start }) {
      const { id = null, name: templateName = '', ...given } = templateOf(start) ?? {}
      return api.post('/api/agents', { body: { ...given, name: name.trim() || templateName, archetype: id } })
    },
    stale,
    saved: ({ id }) => navigate(`/agents/${id}`),
  })
  const template = templateOf(form.values.start)
  const { text } = inputsOf(form)
  return (
    <EntityForm form={form} verb="Create" close={close}>
      {text('name', 'Name', {
        'data-autofocus': true,
        placeholder: template?.name,
        required: !template,
        maxLength: 100,
      })}
      <Loaded query={archetypes} what="Templates">
        {(data) => (
          <Choice
            label="Start from"
            choices={{ [scratch]: fromScratch, ...Object.fromEntries(data.archetypes.map(choiceOf)) }}
            input={form.getInputProps('start')}
          />
        )}
      </Loaded>
    </EntityForm>
  )
}
