import { IconCookie, IconDeviceFloppy } from '@tabler/icons-react'
import { ActionButton } from '../../parts/action-button.tsx'
import { announce } from '../../parts/announce.ts'
import { DeleteButton } from '../../parts/confirm.tsx'
import { counted } from '../../parts/numbers.ts'
import { ResourceList } from '../../parts/resource-list.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { Cookies } from './cookies.tsx'
import { NameForm } from './name-form.tsx'

const path = '/api/browser/auth-states'

/** Cookies and local storage, saved under a name to stay signed in. */
export const SessionsPanel = ({ running }: { running: boolean }) => (
  <>
    {running && (
      <NameForm
        title="Save session"
        aria-label="Session name"
        placeholder="Name, such as Bank"
        maxLength={64}
        verb="Save session"
        icon={IconDeviceFloppy}
        save={(api, name) => api.post(path, { body: { name } })}
        stale={[path]}
        saved={() => announce('Session saved')}
      />
    )}
    <ResourceList
      path={path}
      items="auth_states"
      title="Saved sessions"
      frame="none"
      icon={IconCookie}
      empty="Sign in to a site, then save the session to use it after the browser was closed."
      row={({ name, cookies, origins, created_at }) => {
        const sites = origins.map((origin) => origin.replace(/^https?:\/\//, '')).join(', ')
        return {
          size: 'sm',
          children: (
            <Hint>
              {counted(cookies, 'cookie', 'cookies')}
              {sites && ` · storage of ${sites}`} · <Time at={created_at} />
            </Hint>
          ),
          actions: (
            <>
              <ActionButton
                size="compact-xs"
                run={(api) => api.post(`${path}/{name}/restore`, { params: { name } })}
                done={() => announce(`Session ${name} restored`)}
              >
                Restore
              </ActionButton>
              <DeleteButton what={name} remove={(api) => api.delete(`${path}/{name}`, { params: { name } })} />
            </>
          ),
        }
      }}
    />
    {running && <Cookies />}
  </>
)
