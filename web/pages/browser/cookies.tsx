import { Box, Button, Collapse, Text, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { Cookie } from '../../../runtime/tabs/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { DeleteButton } from '../../parts/confirm.tsx'
import { EntityForm, inputsOf, useApiForm } from '../../parts/form.tsx'
import { List } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import classes from './browser.module.css'
import { useBrowser } from './context.tsx'
import { Tools } from './name-form.tsx'

/** Cookies by site. Values are hidden, because someone may see the screen. */
export function Cookies() {
  const query = useEndpoint('/api/browser/cookies')
  const [adding, setAdding] = useState(false)
  return (
    <section aria-label="Cookies" style={{ borderTop: '1px solid var(--line)' }}>
      <Tools>
        <Title order={3} size="h6" className="grow">
          Cookies
        </Title>
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconPlus size={14} />}
          aria-expanded={adding}
          onClick={() => setAdding(!adding)}
        >
          Add
        </Button>
        <DeleteButton what="all cookies" remove={(api) => api.delete('/api/browser/cookies')} />
      </Tools>
      <Collapse expanded={adding}>{adding && <CookieForm close={() => setAdding(false)} />}</Collapse>
      <List query={query} what="Cookies" items={({ cookies }) => bySite(cookies)} empty="No cookies">
        {([site, cookies]) => <Site key={site} site={site} cookies={cookies} />}
      </List>
    </section>
  )
}

const bySite = (cookies: readonly Cookie[]) => [...Map.groupBy(cookies, ({ domain = '' }) => domain.replace(/^\./, ''))]

const Site = ({ site, cookies }: { site: string; cookies: readonly Cookie[] }) => (
  <details className={classes.entry}>
    <summary>
      <b>{site}</b>{' '}
      <Text span size="xs" c="dimmed">
        {counted(cookies.length, 'cookie', 'cookies')}
      </Text>
    </summary>
    <Box component="ul" m={0} pl="1.2rem">
      {cookies.map((cookie) => (
        <li key={`${cookie.path} ${cookie.name}`}>
          <Text size="xs" className="verbatim">
            {cookie.name}{' '}
            <Text span size="xs" c="dimmed">
              {attributes(cookie)}
            </Text>
          </Text>
        </li>
      ))}
    </Box>
  </details>
)

function attributes({ path, expires = -1, http_only, secure, same_site }: Cookie): string {
  const until = expires < 0 ? 'session' : `until ${new Date(expires * 1000).toLocaleDateString()}`
  return [path === '/' ? null : path, until, http_only && 'HttpOnly', secure && 'Secure', same_site]
    .filter(Boolean)
    .join(' · ')
}

function CookieForm({ close }: { close: () => void }) {
  const api = useApi()
  const page = useBrowser().tab?.url ?? ''
  const form = useApiForm({
    initial: { url: page.startsWith('http') ? new URL(page).origin : '', name: '', value: '' },
    save: (cookie) => api.post('/api/browser/cookies', { body: { cookies: [cookie] } }),
    stale: ['/api/browser/cookies'],
    saved: close,
    fieldOf: (path) => path.replace(/^cookies\.0\.?/, '') || 'url',
  })
  const { text, password } = inputsOf(form, { size: 'xs' })
  return (
    <EntityForm aria-label="New cookie" form={form} verb="Add cookie" size="xs" gap="xs" px="sm" pb="sm">
      {text('url', 'URL', { placeholder: 'https://example.com', required: true })}
      {text('name', 'Name', { required: true })}
      {password('value', 'Value')}
    </EntityForm>
  )
}
