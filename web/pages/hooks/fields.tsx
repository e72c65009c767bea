import { MultiSelect, NativeSelect, Textarea } from '@mantine/core'
import type { HookAction } from '../../../runtime/hooks/action-schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { actionLabels } from './labels.ts'

/** The form values of an action. */
export interface ActionValues {
  kind: HookAction['kind'] | 'none'
  /** Id of the agent, conversation, workflow, job, loop, project or channel. */
  target: string
  /** The message, workflow input, request body or rule expression. */
  text: string
  url: string
  method: string
  /** Headers of a request. The form does not show them but keeps them. */
  headers: Record<string, string>
  channel: string
}

export const noAction: ActionValues = {
  kind: 'none',
  target: '',
  text: '',
  url: '',
  method: 'POST',
  headers: {},
  channel: 'chat',
}

export function valuesOf(action: HookAction | null): ActionValues {
  if (action === null) return noAction
  const { kind } = action
  switch (action.kind) {
    case 'agent':
      return { ...noAction, kind, target: action.agent_id ?? '', text: action.message }
    case 'message':
      return { ...noAction, kind, target: action.conversation_id, text: action.message }
    case 'workflow':
      return { ...noAction, kind, target: action.workflow_id, text: action.input }
    case 'job':
      return { ...noAction, kind, target: action.job_id }
    case 'loop':
      return { ...noAction, kind, target: action.loop_id }
    case 'project':
      return { ...noAction, kind, target: action.project_id }
    case 'http':
      return {
        ...{ ...noAction, kind, url: action.url, method: action.method },
        ...{ headers: action.headers, text: action.body },
      }
    case 'notify':
      return {
        ...{ ...noAction, kind, channel: action.channel },
        ...{ target: action.channel_id ?? '', text: action.message },
      }
    case 'decide':
      return { ...noAction, kind, text: action.expression }
  }
}

/** The action in the format of the API, which validates it. */
export function actionOf({ kind, target, text, url, method, headers, channel }: ActionValues): HookAction {
  const actions = {
    agent: { agent_id: target || null, message: text },
    message: { conversation_id: target, message: text },
    workflow: { workflow_id: target, input: text },
    job: { job_id: target },
    loop: { loop_id: target },
    project: { project_id: target },
    http: { url, method, headers, body: text },
    notify: { channel, channel_id: channel === 'channel' ? target || null : null, message: text },
    decide: { expression: text },
    none: {},
  }
  return { kind, ...actions[kind] } as HookAction
}

/** The form field for a path of the API. */
export function fieldOf(path: string): string {
  if (path.startsWith('events')) return 'events'
  if (/^action\.\w+_id$/.test(path)) return 'target'
  if (/^action\.(message|input|body|expression)$/.test(path)) return 'text'
  return path.replace(/^action\./, '')
}

interface Form {
  values: ActionValues
  getInputProps(path: string): object
}

/** The fields of an action, by its kind. */
export function ActionFields({ form, kinds }: { form: Form; kinds: readonly ActionValues['kind'][] }) {
  const { kind } = form.values
  return (
    <>
      <NativeSelect
        label="Action"
        data={kinds.map((value) => ({ value, label: actionLabels[value] }))}
        {...form.getInputProps('kind')}
      />
      {kind === 'notify' && (
        <NativeSelect
          label="Where"
          data={[
            { value: 'chat', label: 'In a conversation' },
            { value: 'email', label: 'By email' },
            { value: 'channel', label: 'On a channel' },
          ]}
          {...form.getInputProps('channel')}
        />
      )}
      {kind === 'http' && (
        <>
          <NativeSelect
            label="Method"
            data={['POST', 'PUT', 'PATCH', 'GET', 'DELETE']}
            {...form.getInputProps('method')}
          />
          <Textarea label="URL" autosize required withAsterisk={false} {...form.getInputProps('url')} />
        </>
      )}
      <Target form={form} />
      {texts[kind] && (
        <Textarea
          label={texts[kind].label}
          description={texts[kind].description}
          autosize
          minRows={3}
          maxRows={14}
          {...form.getInputProps('text')}
        />
      )}
    </>
  )
}

const filled = 'Text that may contain JSONata {{ expressions }}'
const texts: Partial<Record<ActionValues['kind'], { label: string; description: string }>> = {
  agent: { label: 'Message', description: filled },
  message: { label: 'Message', description: filled },
  notify: { label: 'Message', description: filled },
  workflow: {
    label: 'Input',
    description: 'An expression after =, such as ={"order": body.id}. Empty: all received data',
  },
  http: { label: 'Body', description: `${filled}. Empty: the event as JSON` },
  decide: {
    label: 'Rule',
    description:
      "JSONata over data, where data.input is the tool's input, and data.input.message the text of a message. It returns 'allow', 'deny', 'ask', or an object with decision, reason and input",
  },
}

function Target({ form }: { form: Form }) {
  switch (form.values.kind) {
    case 'notify':
      return form.values.channel === 'channel' ? <ChannelTarget form={form} /> : null
    case 'agent':
      return <AgentTarget form={form} />
    case 'message':
      return <ConversationTarget form={form} />
    case 'workflow':
      return <WorkflowTarget form={form} />
    case 'job':
      return <JobTarget form={form} />
    case 'loop':
      return <LoopTarget form={form} />
    case 'project':
      return <ProjectTarget form={form} />
    default:
      return null
  }
}

interface Named {
  id: string
  name: string
}

const Choice = ({
  form,
  label,
  items,
}: {
  form: Form
  label: string
  items: readonly Named[] | undefined
}) => (
  <NativeSelect
    label={label}
    data={[
      { value: '', label: label === 'Agent' ? 'Default agent' : 'Choose one' },
      ...(items ?? []).map(({ id, name }) => ({ value: id, label: name })),
    ]}
    {...form.getInputProps('target')}
  />
)

const limit = { query: { limit: 200 } }

const AgentTarget = ({ form }: { form: Form }) => (
  <Choice form={form} label="Agent" items={useEndpoint('/api/agents').data?.agents} />
)

function ConversationTarget({ form }: { form: Form }) {
  const found = useEndpoint('/api/chat/conversations', { query: { limit: 100 } }).data?.conversations
  const items = found?.map(({ id, title }) => ({ id, name: title }))
  return <Choice form={form} label="Conversation" items={items} />
}

const WorkflowTarget = ({ form }: { form: Form }) => (
  <Choice form={form} label="Workflow" items={useEndpoint('/api/workflows', limit).data?.workflows} />
)

const JobTarget = ({ form }: { form: Form }) => (
  <Choice form={form} label="Job" items={useEndpoint('/api/scheduler/jobs', limit).data?.jobs} />
)

const LoopTarget = ({ form }: { form: Form }) => (
  <Choice form={form} label="Loop" items={useEndpoint('/api/loops', limit).data?.loops} />
)

const ProjectTarget = ({ form }: { form: Form }) => (
  <Choice form={form} label="Project" items={useEndpoint('/api/projects', limit).data?.projects} />
)

const ChannelTarget = ({ form }: { form: Form }) => (
  <Choice form={form} label="Channel" items={useEndpoint('/api/channels', limit).data?.channels} />
)

/** Event types, and patterns for all events of an area. */
export function EventTypes({ input }: { input: object }) {
  const types = useEndpoint('/api/webhooks/events').data?.events ?? []
  const subjects = [...new Set(types.map((type) => `${type.split('.')[0]}.*`))]
  return (
    <MultiSelect
      label="Events"
      data={[
        { group: 'All events of an area', items: ['*', ...subjects] },
        { group: 'Single events', items: types },
      ]}
      searchable
      maxDropdownHeight={260}
      {...input}
    />
  )
}

/** A filter expression for events. */
export const FilterField = ({ input }: { input: object }) => (
  <Textarea
    label="Filter"
    description="JSONata over type, ts and data, such as data.status = 'failed' or $contains(data.text, 'urgent'). Empty: every event"
    autosize
    {...input}
  />
)
