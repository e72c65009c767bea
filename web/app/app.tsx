import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter'
import { useEndpoint } from '../api/query.ts'
import { ErrorBoundary } from '../parts/error-boundary.tsx'
import { lazily } from '../parts/lazily.ts'
import { ErrorState } from '../parts/list.tsx'
import { useLiveQueries, useSession } from './services.tsx'
import { Shell } from './shell.tsx'

const Setup = lazily(() => import('../pages/setup/index.tsx'), 'Setup')
const Invitation = lazily(() => import('../pages/login/invitation.tsx'), 'Invitation')
const Shared = lazily(() => import('../pages/chat/shared.tsx'), 'Shared')
const Login = lazily(() => import('../pages/login/index.tsx'), 'Login')

export function App() {
  const session = useSession()
  useLiveQueries(session?.token)
  return (
    <ErrorBoundary>
      <Switch>
        <Route path="/setup/:step?" component={Setup} />
        <Route path="/login" component={Login} />
        <Route path="/invitation" component={Invitation} />
        <Route path="/shared" component={Shared} />
        <Route>{session ? <Shell key={session.user_id} /> : <SignedOut />}</Route>
      </Switch>
    </ErrorBoundary>
  )
}

/** Redirects to the setup, or to the sign-in page, which returns to this address. */
function SignedOut() {
  const bootstrap = useEndpoint('/api/auth/bootstrap', {}, { staleTime: 0 })
  const [location] = useLocation()
  const search = useSearch()
  if (bootstrap.isError) return <ErrorState error={bootstrap.error} retry={() => bootstrap.refetch()} />
  if (!bootstrap.data) return null
  if (bootstrap.data.bootstrap_mode) return <Redirect to={`/setup${globalThis.location.hash}`} replace />
  const here = search ? `${location}?${search}` : location
  return <Redirect to={here === '/' ? '/login' : `/login?next=${encodeURIComponent(here)}`} replace />
}
