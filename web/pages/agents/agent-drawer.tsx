import { IconRobotOff } from '@tabler/icons-react'
import { useLocation } from 'wouter'
import type { Agent } from '../../../runtime/tools/agent.ts'
import type { AnswerOf } from '../../api/client.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { Choice } from '../../parts/choice.tsx'
import { executionModeField } from '../../parts/execution-modes.ts'
import { EntityForm, inputsOf, useApiForm } from '../../parts/form.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { EmptyState, Loaded, SkeletonRows } from '../../parts/list.tsx'
import { ResourceDrawer } from '../../parts/resource-form.tsx'
import type { FieldProps } from '../../parts/schema/fields.tsx'
import { type Fields, type Layout, SchemaForm } from '../../parts/schema/schema-form.tsx'
import { UserChoice } from '../../parts/user-choice.tsx'
import { ModelField, ServersField, ToolNames } from './agent-fields.tsx'

interface AgentDrawerProps {
  /** `new` or the id of an agent. */
  id: string
  /** Undefined while the list is loading. */
  agents: Agent[] | undefined
  close: () => void
}

export function AgentDrawer({ id, agents, close }: AgentDrawerProps) {
  const agent = agents?.find((candidate) => candidate.id === id)
  if (agent)
    return (
      <ResourceDrawer
        key={id}
        path="/api/agents"
        noun="agent"
        item={agent}
        close={close}
        title={() => agent.name}
        effect={false}
        fields={fieldsOf(agent)}
        tabs={tabs}
      />
    )
  return (
    <FormDrawer title={id === 'new' ? 'New agent' : 'Agent'} close={close}>
      {({ leave }) => (id === 'new' ? <NewAgentForm close={leave} /> : <Missing loading={!agents} />)}
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

const tabs: Readonly<Record<string, Layout>> = {
  Basics: ['name', 'description', 'avatar', 'system_prompt', 'enabled', 'users'],
  Model: ['model', ['temperature', 'max_output_tokens']],
  Tools: ['execution_mode', 'tools', 'skills', 'mcp_servers'],
  Memory: ['memory'],
  Sandbox: ['sandbox'],
  Limits: ['max_steps', 'budget'],
}

/** A group without a frame. */
const flat = (props: FieldProps) => <SchemaForm {...props} />

const fieldsOf = ({ is_default }: Agent): Fields => ({
  avatar: { maxLength: 8 },
  users:
    !is_default &&
    (({ label, schema, value, change, error }) => (
      <UserChoice
        label={label}
        description={schema.description ?? ''}
        value={(value ?? []) as string[]}
        error={error}
        onChange={(ids) => change(ids.length > 0 ? ids : null, true)}
      />
    )),
  model: (props) => <ModelField {...props} />,
  execution_mode: executionModeField,
  tools: (props) => <SchemaForm {...props} fields={{ allow: toolNames, deny: toolNames }} />,
  mcp_servers: (props) => <ServersField {...props} />,
  memory: (props) => {
    const { enabled } = props.value as Agent['memory']
    return (
      <SchemaForm
        {...props}
        fields={{ capture: enabled, scope: enabled, recall_limit: enabled }}
        layout={['enabled', 'capture']}
      />
    )
  },
  sandbox: flat,
  budget: flat,
})

const toolNames = (props: FieldProps) => <ToolNames {...props} />

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
    stale: ['/api/agents'],
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
