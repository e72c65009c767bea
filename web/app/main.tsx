import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './app.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { createQueries } from './queries.ts'
import { createServices, ServicesProvider } from './services.tsx'
import { schemeManager, theme, variables } from './theme.ts'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

createRoot(root).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={variables}
    colorSchemeManager={schemeManager}
    defaultColorScheme="auto"
  >
    <Notifications position="bottom-right" limit={4} />
    <QueryClientProvider client={createQueries()}>
      <ServicesProvider services={createServices()}>
        <App />
      </ServicesProvider>
    </QueryClientProvider>
  </MantineProvider>,
)
