import { Button, Collapse, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Cookie, cookiesQuery } from '../../../api/browser.ts'
import { fieldErrors } from '../../../api/error.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { counted } from '../../../parts/numbers.ts'
import classes from '../browser.module.css'
import { DeleteButton } from '../delete-button.tsx'
import { useDesk } from '../desk.tsx'

/** The cookies that pages have set, by site. Values are not shown: somebody may look over the shoulder. */
export function Cookies() {
  const api = useApi()
  const queries = useQueryClient()
  const query = useQuery(cookiesQuery(api))
  const [adds, setAdds] = useState(false)
  const clear = useMutation({
    mutationFn: () => api.remove('/api/browser/cookies'),
    onSuccess: () => queries.invalidateQueries({ queryKey: cookiesQuery(api).queryKey }),
  })
  return (
    <section aria-label="Cookies" style={{ borderTop: '1px solid var(--line)' }}>
      <div className={classes.tools}>
        <Title order={3} size="h6" className="grow">
          Cookies
        </Title>
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconPlus size={14} />}
          aria-expanded={adds}
          onClick={() => setAdds(!adds)}
        >
          Add
        </Button>
        <DeleteButton what="all cookies" icon={<IconTrash size={17} />} remove={clear} />
      </div>
      <Collapse expanded={adds}>{adds && <CookieForm close={() => setAdds(false)} />}</Collapse>
      <Loaded query={query} what="The cookies">
        {({ cookies }) =>
          cookies.length === 0 ? (
            <Text size="xs" c="dimmed" px="sm" pb="sm">
              No page has set one.
            </Text>
          ) : (
            [...Map.groupBy(cookies, ({ domain = '' }) => domain.replace(/^\./, ''))].map(([site, own]) => (
              <Site key={site} site={site} cookies={own} />
            ))
          )
        }
      </Loaded>
    </section>
  )
}

const Site = ({ site, cookies }: { site: string; cookies: readonly Cookie[] }) => (
  <details className={classes.entry}>
    <summary>
      <b>{site}</b>{' '}
      <Text span size="xs" c="dimmed">
        {counted(cookies.length, 'cookie', 'cookies')}
      </Text>
    </summary>
    <ul style={{ margin: 0, paddingLeft: '1.2rem' }}>
      {cookies.map((cookie) => (
        <li key={`${cookie.path} ${cookie.name}`}>
          <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
            {cookie.name}{' '}
            <Text span size="xs" c="dimmed">
              {traits(cookie)}
            </Text>
          </Text>
        </li>
      ))}
    </ul>
  </details>
)

function traits({ path, expires = -1, http_only, secure, same_site }: Cookie): string {
  const until = expires < 0 ? 'session' : `until ${new Date(expires * 1000).toLocaleDateString()}`
  return [path === '/' ? null : path, until, http_only && 'HttpOnly', secure && 'Secure', same_site]
    .filter(Boolean)
    .join(' · ')
}

function CookieForm({ close }: { close: () => void }) {
  const api = useApi()
  const queries = useQueryClient()
  const page = useDesk().tab?.url ?? ''
  const [url, setUrl] = useState(page.startsWith('http') ? new URL(page).origin : '')
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const add = useMutation({
    mutationFn: () => api.post('/api/browser/cookies', { cookies: [{ name, value, url }] }),
    meta: { shown: true },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: cookiesQuery(api).queryKey })
      close()
    },
  })
  const errors = fieldErrors(add.error)
  const said = add.error && Object.keys(errors).length === 0 ? add.error.message : null
  return (
    <form
      aria-label="New cookie"
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate()
      }}
    >
      <Stack gap="xs" px="sm" pb="sm">
        <TextInput
          size="xs"
          label="Address"
          placeholder="https://example.com"
          required
          value={url}
          error={errors['cookies.0.url'] ?? errors['cookies.0'] ?? said}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <TextInput
          size="xs"
          label="Cookie"
          required
          value={name}
          error={errors['cookies.0.name']}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          size="xs"
          label="Value"
          autoComplete="off"
          value={value}
          error={errors['cookies.0.value']}
          onChange={(event) => setValue(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" size="xs" loading={add.isPending}>
            Set the cookie
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
