import { MultiSelect, Textarea } from '@mantine/core'
import type { HookAction } from '../../../runtime/hooks/action-schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { useAgents } from '../../parts/agents.ts'
import { inputsOf, required } from '../../parts/form.tsx'
import { optionsFor } from '../../parts/options.ts'
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
  setFieldValue(path: string, value: never): void
}

/** The fields of an action, by its kind. */
export function ActionFields({ form, kinds }: { form: Form; kinds: readonly ActionValues['kind'][] }) {
  const { kind } = form.values
  const { area, native } = inputsOf(form)
  return (
    <>
      {native(
        'kind',
        'Action',
        kinds.map((value) => ({ value, label: actionLabels[value] })),
      )}
      {kind === 'notify' &&
        native('channel', 'Where', [
          { value: 'chat', label: 'In a conversation' },
          { value: 'email', label: 'By email' },
          { value: 'channel', label: 'On a channel' },
        ])}
      {kind === 'http' && (
        <>
          {native('method', 'Method', ['POST', 'PUT', 'PATCH', 'GET', 'DELETE'])}
          {area('url', 'URL', [1], required)}
        </>
      )}
      <Target form={form} />
      {texts[kind] && area('text', texts[kind].label, [3, 14], { description: texts[kind].description })}
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

type Kind = ActionValues['kind']

/** What an action of a kind acts on. */
const targetLabels: Partial<Record<Kind, string>> = {
  agent: 'Agent',
  message: 'Conversation',
  workflow: 'Workflow',
  job: 'Job',
  loop: 'Loop',
  project: 'Project',
  notify: 'Channel',
}

function Target({ form }: { form: Form }) {
  const { kind, channel } = form.values
  const things = useThings(kind)
  const label = targetLabels[kind]
  if (label === undefined || (kind === 'notify' && channel !== 'channel')) return null
  const none = { value: '', label: kind === 'agent' ? 'Default agent' : 'Choose one' }
  return inputsOf(form).native('target', label, [none, ...optionsFor(things)])
}

function useThings(kind: Kind) {
  const all = { query: { limit: 200 } }
  const only = (wanted: Kind) => ({ enabled: kind === wanted })
  const chats = useEndpoint('/api/chat/conversations', { query: { limit: 100 } }, only('message'))
  const lists: Partial<Record<Kind, readonly { id: string; name: string }[] | undefined>> = {
    agent: useAgents(),
    message: chats.data?.conversations.map(({ id, title }) => ({ id, name: title })),
    workflow: useEndpoint('/api/workflows', all, only('workflow')).data?.workflows,
    job: useEndpoint('/api/scheduler/jobs', all, only('job')).data?.jobs,
    loop: useEndpoint('/api/loops', all, only('loop')).data?.loops,
    project: useEndpoint('/api/projects', all, only('project')).data?.projects,
    notify: useEndpoint('/api/channels', all, only('notify')).data?.channels,
  }
  return lists[kind]
}

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
