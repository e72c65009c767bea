import { Button, Text, TextInput } from '@mantine/core'
import { IconCookie, IconDeviceFloppy } from '@tabler/icons-react'
import type { AuthState } from '../../../runtime/browser/auth-state-store.ts'
import { useEndpoint, useRefresh } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { ActionButton } from '../../parts/buttons.tsx'
import { DeleteButton } from '../../parts/confirm.tsx'
import { FormProblem, useApiForm } from '../../parts/form.tsx'
import { Hint } from '../../parts/hint.tsx'
import { List } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { EmptyState } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useChange } from '../../parts/use-change.ts'
import classes from './browser.module.css'
import { Cookies } from './cookies.tsx'

/** Cookies and local storage, saved under a name to stay signed in. */
export function SessionsPanel({ running }: { running: boolean }) {
  const query = useEndpoint('/api/browser/auth-states', { query: { limit: 200 } })
  return (
    <>
      {running && <SaveForm />}
      <List
        query={query}
        what="Saved sessions"
        items={({ auth_states }) => auth_states}
        empty={
          <EmptyState icon={<IconCookie size={28} />} title="No saved sessions">
            Sign in to a site, then save the session to use it after the browser was closed.
          </EmptyState>
        }
      >
        {(state) => <SessionRow key={state.name} session={state} />}
      </List>
      {running && <Cookies />}
    </>
  )
}

function SaveForm() {
  const api = useApi()
  const refresh = useRefresh()
  const form = useApiForm({
    initial: { name: '' },
    save: ({ name }) => api.post('/api/browser/auth-states', { body: { name: name.trim() } }),
    async saved(_, { reset }) {
      await refresh('/api/browser/auth-states')
      reset()
      announce('Session saved')
    },
  })
  return (
    <form className={classes.tools} aria-label="Save session" onSubmit={form.submit}>
      <TextInput
        className="grow"
        size="xs"
        aria-label="Session name"
        placeholder="Name, such as Bank"
        required
        maxLength={64}
        {...form.getInputProps('name')}
      />
      <Button
        type="submit"
        size="xs"
        disabled={!form.values.name.trim()}
        loading={form.sending}
        leftSection={<IconDeviceFloppy size={15} />}
      >
        Save session
      </Button>
      <FormProblem form={form} />
    </form>
  )
}

function SessionRow({ session: { name, cookies, origins, created_at } }: { session: AuthState }) {
  const params = { name }
  const restore = useChange((api) => api.post('/api/browser/auth-states/{name}/restore', { params }), {
    done: () => announce(`Session ${name} restored`),
  })
  const remove = useChange((api) => api.delete('/api/browser/auth-states/{name}', { params }), {
    stale: ['/api/browser/auth-states'],
  })
  const sites = origins.map((origin) => origin.replace(/^https?:\/\//, '')).join(', ')
  return (
    <article className="row" aria-label={name}>
      <div className="grow">
        <Text size="sm" fw={500} className={classes.text}>
          {name}
        </Text>
        <Hint>
          {counted(cookies, 'cookie', 'cookies')}
          {sites && ` · storage of ${sites}`} · <Time at={created_at} />
        </Hint>
      </div>
      <ActionButton size="compact-xs" run={restore}>
        Restore
      </ActionButton>
      <DeleteButton what={name} remove={remove} />
    </article>
  )
}
