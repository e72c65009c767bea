import { Text } from '@mantine/core'
import { IconCookie, IconDeviceFloppy } from '@tabler/icons-react'
import type { AuthState } from '../../../runtime/browser/auth-state-store.ts'
import { useEndpoint } from '../../api/query.ts'
import { announce } from '../../parts/announce.ts'
import { ActionButton } from '../../parts/buttons.tsx'
import { DeleteButton } from '../../parts/confirm.tsx'
import { EmptyState, List } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { Cookies } from './cookies.tsx'
import { NameForm } from './name-form.tsx'

/** Cookies and local storage, saved under a name to stay signed in. */
export function SessionsPanel({ running }: { running: boolean }) {
  const query = useEndpoint('/api/browser/auth-states', { query: { limit: 200 } })
  return (
    <>
      {running && <SaveForm />}
      <List
        query={query}
        what="Saved sessions"
        items="auth_states"
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

const SaveForm = () => (
  <NameForm
    title="Save session"
    aria-label="Session name"
    placeholder="Name, such as Bank"
    maxLength={64}
    verb="Save session"
    icon={IconDeviceFloppy}
    save={(api, name) => api.post('/api/browser/auth-states', { body: { name } })}
    stale={['/api/browser/auth-states']}
    saved={() => announce('Session saved')}
  />
)

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
        <Text size="sm" fw={500} className="verbatim">
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
