import { Button, Group, Stack, Text } from '@mantine/core'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { DeleteButton } from '../../parts/confirm.tsx'
import { FormProblem, inputsOf, useApiForm } from '../../parts/form.tsx'
import { List } from '../../parts/list.tsx'
import { Panel } from '../../parts/page.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'

const path = '/api/settings/browser_credentials'

interface Site {
  origin: string
  username: string
}

/** User names and passwords for sites that ask by HTTP, in a dialog of the browser and not on a page. */
export function SignIns() {
  const query = useEndpoint(path)
  const sites = (query.data?.sites ?? []).map(({ origin, username }) => ({ origin, username }))
  return (
    <Panel title="HTTP sign-in">
      <List
        query={query}
        what="HTTP sign-ins"
        items="sites"
        empty="For sites that ask for a user name and password before they show a page"
      >
        {(site) => <SiteRow key={site.origin} site={site} all={sites} />}
      </List>
      <SiteForm all={sites} />
    </Panel>
  )
}

function SiteRow({ site: { origin, username }, all }: { site: Site; all: Site[] }) {
  const sites = all.filter((other) => other.origin !== origin)
  const remove = useChange((api) => api.put(path, { body: { sites } }), { stale: [path] })
  return (
    <article className="row" aria-label={origin}>
      <div className="grow">
        <Text size="sm" fw={500} className="words">
          {origin}
        </Text>
        <Hint>{username}</Hint>
      </div>
      <DeleteButton what={origin} remove={remove} />
    </article>
  )
}

function SiteForm({ all }: { all: Site[] }) {
  const api = useApi()
  const form = useApiForm({
    initial: { origin: '', username: '', password: '' },
    save: (site) =>
      api.put(path, { body: { sites: [...all.filter(({ origin }) => origin !== site.origin), site] } }),
    stale: [path],
    saved(_, { reset }) {
      reset()
      announce('Saved')
    },
    fieldOf: (name) => name.replace(/^sites\.\d+\.?/, ''),
  })
  const { text, password } = inputsOf(form, { size: 'xs' })
  return (
    <form aria-label="New HTTP sign-in" onSubmit={form.submit}>
      <Stack gap="xs" px="md" pb="md">
        <FormProblem form={form} />
        {text('origin', 'Site', { placeholder: 'https://example.com', required: true })}
        {text('username', 'User name', { required: true })}
        {password('password', 'Password', { required: true })}
        <Group>
          <Button type="submit" size="xs" loading={form.sending}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
