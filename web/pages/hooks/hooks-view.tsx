import { Text } from '@mantine/core'
import { IconPlayerPlay, IconWebhook } from '@tabler/icons-react'
import type { Hook } from '../../../runtime/hooks/hooks.ts'
import { useEndpoint } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { SmallButton } from '../../parts/buttons.tsx'
import { eventName } from '../../parts/events.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { lazily } from '../../parts/lazily.ts'
import { counted } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { ResourcePage } from '../../parts/resource-page.tsx'
import type { FieldProps } from '../../parts/schema/fields.tsx'
import type { Values } from '../../parts/schema/schema.ts'
import { useLabels } from '../../parts/schema/use-body-schema.ts'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { enabledStatus, endOf } from './labels.ts'

const ActionField = lazily(() => import('./action-field.tsx'), 'ActionField')

const kinds = ['notify', 'agent', 'message', 'workflow', 'job', 'loop', 'project', 'http']
const decisions = ['decide', 'http', 'agent', 'workflow']

export function HooksView({ id }: { id: string | undefined }) {
  const label = useLabels('/api/hooks', 'action')
  const summary = (hook: Hook) => `${hook.events.map(eventName).join(', ')} → ${label(hook.action.kind)}`
  return (
    <ResourcePage
      path="/api/hooks"
      items="hooks"
      noun="hook"
      title="Hooks"
      place="/hooks/events"
      id={id}
      icon={IconWebhook}
      empty="A hook acts when an event happens, or decides before a tool runs or a message is accepted."
      row={(hook) => ({
        badges: <HookBadges hook={hook} />,
        children: (
          <Hint>
            {summary(hook)} · {counted(hook.runs, 'run', 'runs')}
            {hook.failed > 0 && `, ${hook.failed} failed`}
          </Hint>
        ),
      })}
      detail={(hook, edit) => <HookDetails hook={hook} summary={summary(hook)} edit={edit} />}
      form={{
        start: { action: { kind: 'notify' } },
        fields: ({ blocking }: Values) => ({
          action: (props: FieldProps) => <ActionField {...props} kinds={blocking ? decisions : kinds} />,
          fail_mode: blocking === true,
          priority: blocking === true,
        }),
        layout: ['name', 'events', 'filter', 'blocking', 'action'],
        effect: 'Its runs are deleted too.',
        more: ({ blocking }: Values) =>
          !blocking && (
            <Hint>
              Expressions can use type, ts and data, such as {'{{ data.name }}'}. The details of a run show all the data
              of its event.
            </Hint>
          ),
      }}
    />
  )
}

const HookBadges = ({ hook: { enabled, blocking } }: { hook: Hook }) => (
  <>
    <StatusBadge {...enabledStatus(enabled)} />
    {blocking && <StatusBadge label="Decides" color="ember" />}
  </>
)

interface DetailsProps {
  hook: Hook
  summary: string
  edit: () => void
}

function HookDetails({ hook, summary, edit }: DetailsProps) {
  const params = { id: hook.id }
  const test = useChange((api) => api.post('/api/hooks/{id}/test', { params, body: {} }))
  return (
    <>
      <Panel title={hook.name} action={<SmallButton onClick={edit}>Edit</SmallButton>} gap="xs">
        <div>
          <HookBadges hook={hook} />
        </div>
        <Text size="sm">{summary}</Text>
        {hook.filter && <Hint>Filter: {hook.filter}</Hint>}
        <JsonView label="Action" value={hook.action} />
        <div>
          <ActionButton icon={IconPlayerPlay} run={test}>
            Dry run
          </ActionButton>
        </div>
        {test.data && <JsonView label="Result of the dry run with an empty event" value={test.data} />}
      </Panel>
      <ResourceList
        path="/api/hooks/{id}/runs"
        params={params}
        items="runs"
        title="Runs"
        size={20}
        empty="No runs yet."
        row={({ id, status, event_type, created_at, error, decision }) => ({
          name: event_type,
          badges: <StatusBadge {...endOf(status)} />,
          children: (
            <Hint>
              <Time at={created_at} /> {error ?? decision}
            </Hint>
          ),
          details: () => <RunDetails id={hook.id} run_id={id} />,
        })}
      />
    </>
  )
}

function RunDetails(params: { id: string; run_id: string }) {
  const { data } = useEndpoint('/api/hooks/{id}/runs/{run_id}', { params })
  return data ? <JsonView label="Run" value={data} /> : null
}
