import { Redirect, useLocation, useSearchParams } from 'wouter'
import { useEndpoint } from '../../api/query.ts'
import { useServices, useSession } from '../../app/services.tsx'
import { inputsOf, required, useApiForm, username } from '../../parts/form.tsx'
import { FrontForm, FrontPage } from '../../parts/front-page.tsx'

export function Login() {
  const { api, session } = useServices()
  const signedIn = useSession() !== null
  const [search] = useSearchParams()
  const [, navigate] = useLocation()
  const bootstrap = useEndpoint('/api/auth/bootstrap', {}, { staleTime: 0 })
  const next = localPath(search.get('next'))
  const form = useApiForm({
    initial: { username: '', password: '' },
    save: (body) => api.post('/api/auth/login', { body }),
    saved({ token, expires_at, user }) {
      session.set({ token, expires_at, user_id: user.id })
      navigate(next, { replace: true })
    },
  })

  const { text, password } = inputsOf(form)
  if (bootstrap.data?.bootstrap_mode) return <Redirect to="/setup" replace />
  if (signedIn && !form.sending) return <Redirect to={next} replace />
  return (
    <FrontPage
      title="Sign in"
      description={next === '/' ? undefined : 'Afterwards you return to the page you requested.'}
    >
      <FrontForm form={form} verb="Sign in">
        {text('username', 'Username', { ...required, ...username, autoFocus: true })}
        {password('password', 'Password', { ...required, autoComplete: 'current-password' })}
      </FrontForm>
    </FrontPage>
  )
}

/** `next` if it is a path of this origin: another address could lead anywhere. */
function localPath(next: string | null): string {
  if (!next) return '/'
  const target = new URL(next, location.origin)
  return next.startsWith('/') && target.origin === location.origin ? `${target.pathname}${target.search}` : '/'
}
