import { Stack, Text } from '@mantine/core'
import { IconPlayerPlay, IconWebhook } from '@tabler/icons-react'
import { useState } from 'react'
import type { HookRun } from '../../../runtime/hooks/hook-run-store.ts'
import type { Hook } from '../../../runtime/hooks/hooks.ts'
import { useEndpoint, useOptional, usePages } from '../../api/query.ts'
import { ActionButton, AddButton, LinkButton, SmallButton } from '../../parts/buttons.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, Found, List } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { Panel, Row } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { actionLabels, enabledStatus } from './labels.ts'
import { LogRow } from './log-row.tsx'

const HookDrawer = lazily(() => import('./hook-form.tsx'), 'HookDrawer')

export const HooksView = ({ id }: { id: string | undefined }) => (id ? <OneHook id={id} /> : <AllHooks />)

function AllHooks() {
  const query = usePages('/api/hooks', {}, { size: 50 })
  const [isNew, setNew] = useState(false)
  return (
    <Panel title="Hooks" action={<AddButton onClick={() => setNew(true)}>New hook</AddButton>}>
      <List
        query={query}
        what="Hooks"
        items="hooks"
        empty={
          <EmptyState icon={<IconWebhook size={28} />} title="No hooks yet">
            A hook acts when an event happens, or decides before a tool runs or a message is accepted.
          </EmptyState>
        }
      >
        {(hook) => (
          <Row
            key={hook.id}
            name={hook.name}
            badges={<HookBadges hook={hook} />}
            actions={<LinkButton href={`/hooks/events/${hook.id}`}>Open</LinkButton>}
          >
            <Hint>
              {hook.events.join(', ')} → {actionLabels[hook.action.kind]} ·{' '}
              {counted(hook.runs, 'run', 'runs')}
              {hook.failed > 0 && `, ${hook.failed} failed`}
            </Hint>
          </Row>
        )}
      </List>
      {isNew && <HookDrawer hook={null} close={() => setNew(false)} />}
    </Panel>
  )
}

const HookBadges = ({ hook: { enabled, blocking } }: { hook: Hook }) => (
  <>
    <StatusBadge {...enabledStatus(enabled)} />
    {blocking && <StatusBadge label="Decides" color="ember" />}
  </>
)

function OneHook({ id }: { id: string }) {
  const query = useOptional('/api/hooks/{id}', { params: { id } })
  return (
    <Stack>
      <TextLink href="/hooks/events">← Hooks</TextLink>
      <Found query={query} what="This hook" icon={<IconWebhook />}>
        {(hook) => <HookDetails hook={hook} />}
      </Found>
    </Stack>
  )
}

function HookDetails({ hook }: { hook: Hook }) {
  const params = { id: hook.id }
  const [edited, setEdited] = useState(false)
  const test = useChange((api) => api.post('/api/hooks/{id}/test', { params, body: {} }))
  const runs = usePages('/api/hooks/{id}/runs', { params }, { size: 20 })
  return (
    <>
      <Panel title={hook.name} action={<SmallButton onClick={() => setEdited(true)}>Edit</SmallButton>}>
        <Stack gap="xs" px="md" pb="md">
          <div>
            <HookBadges hook={hook} />
          </div>
          <Text size="sm">
            {hook.events.join(', ')} → {actionLabels[hook.action.kind]}
          </Text>
          {hook.filter && <Hint>Filter: {hook.filter}</Hint>}
          <JsonView label="Action" value={hook.action} />
          <div>
            <ActionButton icon={IconPlayerPlay} run={test}>
              Dry run
            </ActionButton>
          </div>
          {test.data && <JsonView label="Result of the dry run with an empty event" value={test.data} />}
        </Stack>
      </Panel>
      <Panel title="Runs">
        <List query={runs} what="Runs" items="runs" empty="No runs yet.">
          {(run) => <RunRow key={run.id} run={run} />}
        </List>
      </Panel>
      {edited && <HookDrawer hook={hook} close={() => setEdited(false)} />}
    </>
  )
}

function RunRow({ run }: { run: HookRun }) {
  const { id, hook_id, status, event_type, created_at, error, decision } = run
  return (
    <LogRow name={event_type} status={status} details={() => <RunDetails id={hook_id} run_id={id} />}>
      <Time at={created_at} /> {error ?? decision}
    </LogRow>
  )
}

function RunDetails(params: { id: string; run_id: string }) {
  const { data } = useEndpoint('/api/hooks/{id}/runs/{run_id}', { params })
  return data ? <JsonView label="Run" value={data} /> : null
}
