import { Checkbox } from '@mantine/core'
import { useLocation } from 'wouter'
import type { Hook } from '../../../runtime/hooks/hooks.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { changesTo, EntityForm, inputsOf, required, useApiForm } from '../../parts/form.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { ActionFields, actionOf, EventTypes, FilterField, fieldOf, noAction, valuesOf } from './fields.tsx'

const stale = ['/api/hooks']

const hookActions = ['notify', 'agent', 'message', 'workflow', 'job', 'loop', 'project', 'http'] as const
const decisions = ['decide', 'http', 'agent', 'workflow'] as const

export function HookDrawer({ hook, close }: { hook: Hook | null; close: () => void }) {
  return (
    <FormDrawer title={hook ? `Edit ${hook.name}` : 'New hook'} close={close}>
      {({ leave }) => <HookForm hook={hook} close={leave} />}
    </FormDrawer>
  )
}

const initialOf = (hook: Hook | null) => ({
  name: hook?.name ?? '',
  events: hook?.events ?? [],
  filter: hook?.filter ?? '',
  enabled: hook?.enabled ?? true,
  blocking: hook?.blocking ?? false,
  timeout_seconds: hook?.timeout_seconds ?? 30,
  priority: hook?.priority ?? 100,
  fail_mode: hook?.fail_mode ?? 'closed',
  ...(hook ? valuesOf(hook.action) : { ...noAction, kind: 'notify' as const }),
})

const bodyOf = ({
  kind,
  target,
  text,
  url,
  method,
  headers,
  channel,
  ...values
}: ReturnType<typeof initialOf>) => ({
  ...values,
  action: actionOf({ kind, target, text, url, method, headers, channel }),
})

function HookForm({ hook, close }: { hook: Hook | null; close: () => void }) {
  const api = useApi()
  const [location, navigate] = useLocation()
  const form = useApiForm({
    initial: initialOf(hook),
    save: (values, _, initial) =>
      hook
        ? api.put('/api/hooks/{id}', {
            params: { id: hook.id },
            body: changesTo(bodyOf(values), bodyOf(initial)),
          })
        : api.post('/api/hooks', { body: bodyOf(values) }),
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
  const { text, native, number, toggle } = inputsOf(form)
  return (
    <EntityForm
      form={form}
      verb={hook ? 'Save' : 'Create hook'}
      close={close}
      remove={
        hook ? { name: hook.name, what: 'hook', effect: 'Its runs are deleted too.', run: remove } : false
      }
    >
      {text('name', 'Name', required)}
      <EventTypes input={form.getInputProps('events')} />
      <FilterField input={form.getInputProps('filter')} />
      <Checkbox
        label="Decide before it happens"
        description="For tool.before: allow, deny, ask a person, or change the input. For message.received: allow, deny, or change the text"
        {...form.getInputProps('blocking', { type: 'checkbox' })}
      />
      <ActionFields form={form} kinds={blocking ? decisions : hookActions} />
      {!blocking && (
        <Hint>
          Expressions can use type, ts and data, such as {'{{ data.name }}'}. The details of a run show all
          the data of its event.
        </Hint>
      )}
      {blocking && (
        <>
          {native('fail_mode', 'If the hook fails', [
            { value: 'closed', label: 'Deny' },
            { value: 'open', label: 'Allow' },
          ])}
          {number('priority', 'Priority', {
            description: 'Hooks with lower numbers decide first',
            min: 0,
            max: 1_000,
          })}
        </>
      )}
      {number('timeout_seconds', 'Time limit in seconds', { min: 1, max: 120 })}
      {toggle('enabled', 'Enabled')}
    </EntityForm>
  )
}
