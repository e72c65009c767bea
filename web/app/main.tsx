import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './app.css'
import { MantineProvider } from '@mantine/core'
import { useNotifications } from '@mantine/notifications'
import { MutationCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { worthRetrying } from '../api/error.ts'
import { fetchFirst } from '../api/first.ts'
import { announceError } from '../parts/announce.ts'
import { ErrorBoundary } from '../parts/error-boundary.tsx'
import { lazily } from '../parts/lazily.ts'
import { App } from './app.tsx'
import { keepCode } from './keep-code.ts'
import { createServices, type Services, ServicesProvider } from './services.tsx'
import { schemeManager, theme, variables } from './theme.ts'

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** The form shows the error, so no notification repeats it. */
      shown?: boolean
    }
  }
}

/** The event bus reports what is stale; until then an answer stays fresh. */
const queries = new QueryClient({
  mutationCache: new MutationCache({
    onError(error, _variables, _result, mutation) {
      if (!mutation.meta?.shown) announceError(error)
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (failures, error) => failures < 1 && worthRetrying(error),
      // Also when the browser considers itself offline: the daemon may run on this machine.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

const Notifications = lazily(() => import('./notifications.tsx'), 'Notifications')

function LazyNotifications() {
  const { notifications } = useNotifications()
  return <ErrorBoundary fallback={null}>{notifications.length > 0 && <Notifications />}</ErrorBoundary>
}

const services = createServices()
forgetOthers(services)
if (services.session.get()) fetchFirst(services.api, queries, location.pathname)

/** What was read for one person is not shown to the next one at this browser. */
function forgetOthers({ session }: Services): void {
  let last = session.get()
  session.subscribe(() => {
    const next = session.get()
    if (last && (!next || last.user_id !== next.user_id)) queries.clear()
    last = next
  })
}

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

createRoot(root).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={variables}
    colorSchemeManager={schemeManager}
    defaultColorScheme="auto"
  >
    <QueryClientProvider client={queries}>
      <ServicesProvider services={services}>
        {/* Inside, because every button asks whether the daemon can be reached. */}
        <LazyNotifications />
        <App />
      </ServicesProvider>
    </QueryClientProvider>
  </MantineProvider>,
)
keepCode(services.session)
