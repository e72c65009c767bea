import { Checkbox, NativeSelect, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core'
import { IconPlayerPlay, IconWebhook } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Hook } from '../../../runtime/hooks/hook-schema.ts'
import { useEndpoint, useOptional, usePages } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { ActionButton, AddButton, LinkButton, SmallButton } from '../../parts/buttons.tsx'
import { EntityForm, useApiForm } from '../../parts/form.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { Hint } from '../../parts/hint.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { List } from '../../parts/list.tsx'
import { Found } from '../../parts/loaded.tsx'
import { counted } from '../../parts/numbers.ts'
import { Panel } from '../../parts/panel.tsx'
import { Row } from '../../parts/row.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { TextLink } from '../../parts/text-link.tsx'
import { Time } from '../../parts/time.tsx'
import { useChange } from '../../parts/use-change.ts'
import {
  ActionFields,
  actionLabels,
  actionOf,
  EventTypes,
  enabledStatus,
  endOf,
  FilterField,
  fieldOf,
  noAction,
  valuesOf,
} from './fields.tsx'

const stale = ['/api/hooks']

export const HooksView = ({ id }: { id: string | undefined }) => (id ? <OneHook id={id} /> : <AllHooks />)

function AllHooks() {
  const query = usePages('/api/hooks', {}, { size: 50 })
  const [isNew, setNew] = useState(false)
  return (
    <Panel title="Hooks" action={<AddButton onClick={() => setNew(true)}>New hook</AddButton>}>
      <List
        query={query}
        what="Hooks"
        items={({ pages }) => pages.flatMap(({ hooks }) => hooks)}
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
        <List
          query={runs}
          what="Runs"
          items={({ pages }) => pages.flatMap((page) => page.runs)}
          empty="No runs yet."
        >
          {(run) => (
            <RunRow
              key={run.id}
              hook={hook.id}
              run={run.id}
              status={run.status}
              type={run.event_type}
              at={run.created_at}
              text={run.error ?? run.decision ?? ''}
            />
          )}
        </List>
      </Panel>
      {edited && <HookDrawer hook={hook} close={() => setEdited(false)} />}
    </>
  )
}

interface RunRowProps {
  hook: string
  run: string
  status: string
  type: string
  at: string
  text: string
}

function RunRow({ hook, run, status, type, at, text }: RunRowProps) {
  const [open, setOpen] = useState(false)
  return (
    <Row
      name={type}
      badges={<StatusBadge {...endOf(status)} />}
      actions={<SmallButton onClick={() => setOpen(!open)}>{open ? 'Hide' : 'Details'}</SmallButton>}
      details={open && <RunDetails hook={hook} run={run} />}
    >
      <Hint>
        <Time at={at} /> {text}
      </Hint>
    </Row>
  )
}

function RunDetails({ hook, run }: { hook: string; run: string }) {
  const query = useEndpoint('/api/hooks/{id}/runs/{run_id}', { params: { id: hook, run_id: run } })
  return query.data ? <JsonView label="Run" value={query.data} /> : null
}

const hookActions = ['notify', 'agent', 'message', 'workflow', 'job', 'loop', 'project', 'http'] as const
const decisions = ['decide', 'http', 'agent', 'workflow'] as const

function HookDrawer({ hook, close }: { hook: Hook | null; close: () => void }) {
  return (
    <FormDrawer title={hook ? `Edit ${hook.name}` : 'New hook'} close={close}>
      {({ leave }) => <HookForm hook={hook} close={leave} />}
    </FormDrawer>
  )
}

function HookForm({ hook, close }: { hook: Hook | null; close: () => void }) {
  const api = useApi()
  const [location, navigate] = useLocation()
  const form = useApiForm({
    initial: {
      name: hook?.name ?? '',
      events: hook?.events ?? [],
      filter: hook?.filter ?? '',
      enabled: hook?.enabled ?? true,
      blocking: hook?.blocking ?? false,
      timeout_seconds: hook?.timeout_seconds ?? 30,
      priority: hook?.priority ?? 100,
      fail_mode: hook?.fail_mode ?? 'closed',
      ...(hook ? valuesOf(hook.action) : { ...noAction, kind: 'notify' as const }),
    },
    save({ kind, target, text, url, method, headers, channel, ...values }) {
      const body = { ...values, action: actionOf({ kind, target, text, url, method, headers, channel }) }
      return hook
        ? api.put('/api/hooks/{id}', { params: { id: hook.id }, body })
        : api.post('/api/hooks', { body })
    },
    stale,
    fieldOf,
    saved(saved) {
      close()
      if (!hook) navigate(`/hooks/events/${saved.id}`)
    },
  })
  const remove = useChange(
    (current) => current.delete('/api/hooks/{id}', { params: { id: hook?.id ?? '' } }),
    {
      stale,
      done() {
        announce(`${hook?.name} was deleted`)
        close()
        if (location !== '/hooks/events') navigate('/hooks/events')
      },
    },
  )
  const { blocking } = form.values
  return (
    <EntityForm
      form={form}
      verb={hook ? 'Save' : 'Create hook'}
      close={close}
      remove={
        hook ? { name: hook.name, what: 'hook', effect: 'Its runs are deleted too.', run: remove } : false
      }
    >
      <TextInput label="Name" required withAsterisk={false} {...form.getInputProps('name')} />
      <EventTypes input={form.getInputProps('events')} />
      <FilterField input={form.getInputProps('filter')} />
      <Checkbox
        label="Decide before it happens"
        description="For tool.before and message.received: allow, deny, ask, or change the input"
        {...form.getInputProps('blocking', { type: 'checkbox' })}
      />
      <ActionFields form={form} kinds={blocking ? decisions : hookActions} />
      {blocking && (
        <>
          <NativeSelect
            label="If the hook fails"
            data={[
              { value: 'closed', label: 'Deny' },
              { value: 'open', label: 'Allow' },
            ]}
            {...form.getInputProps('fail_mode')}
          />
          <NumberInput
            label="Priority"
            description="Hooks with lower numbers decide first"
            min={0}
            max={1_000}
            {...form.getInputProps('priority')}
          />
        </>
      )}
      <NumberInput
        label="Time limit in seconds"
        min={1}
        max={120}
        {...form.getInputProps('timeout_seconds')}
      />
      <Switch label="Enabled" {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </EntityForm>
  )
}
