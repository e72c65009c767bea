import { Button, Group, Stack } from '@mantine/core'
import type { Emulation } from '../../../runtime/tabs/profile.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { AdministratorsOnly } from '../../parts/administrators-only.tsx'
import { announce } from '../../parts/announce.ts'
import { DeleteButton } from '../../parts/confirm.tsx'
import { EntityForm, FormProblem, inputsOf, useApiForm } from '../../parts/form.tsx'
import { List, Loaded } from '../../parts/list.tsx'
import { Panel } from '../../parts/page.tsx'
import { Row } from '../../parts/row.tsx'
import { Hint } from '../../parts/typography.tsx'
import { SectionForm } from '../settings/section-form.tsx'

/** Device, identity, HTTP sign-in, and how the browser runs: the same for all users. */
export const SettingsPanel = () => (
  <Stack p="sm">
    <AdministratorsOnly reason="Device, browser identity and HTTP sign-ins are the same for everyone. Ask an administrator of this hearthd to change them.">
      <BrowserSettings />
    </AdministratorsOnly>
  </Stack>
)

function BrowserSettings() {
  const emulation = useEndpoint('/api/browser/emulation')
  return (
    <>
      <Panel title="Device">
        <Loaded query={emulation} what="Devices">
          {(data) => <DeviceForm key={JSON.stringify(data.emulation)} {...data} />}
        </Loaded>
      </Panel>
      <SectionForm name="browser_profile" title="Browser identity" />
      <SignIns />
      <SectionForm name="browser" title="Browser" />
    </>
  )
}

const custom = 'Custom size'
const none = 'No emulation'

/** A preset applies at once; a custom size when it is submitted. */
function DeviceForm({ emulation, presets }: { emulation: Emulation; presets: string[] }) {
  const form = useDeviceForm(emulation)
  const { select, number, toggle } = inputsOf(form)
  const choose = (device: string | null) => {
    if (!device) return
    form.setFieldValue('device', device)
    if (device !== custom) form.submit()
  }
  return (
    <form aria-label="Device" onSubmit={form.submit}>
      <Stack px="md" pb="md" gap="sm">
        <FormProblem form={form} />
        {select('device', 'Emulate', [none, custom, ...presets], {
          searchable: true,
          limit: 60,
          onChange: choose,
        })}
        {form.values.device === custom && (
          <>
            <Group grow gap="sm">
              {number('viewport.width', 'Width', { suffix: ' px' })}
              {number('viewport.height', 'Height', { suffix: ' px' })}
            </Group>
            {toggle('is_mobile', 'Mobile')}
            <Group>
              <Button type="submit" size="xs" loading={form.sending}>
                Apply
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </form>
  )
}

function useDeviceForm({ viewport, is_mobile = false, preset }: Emulation) {
  const api = useApi()
  return useApiForm({
    initial: {
      device: preset ?? (viewport ? custom : none),
      viewport: viewport ?? defaultViewport,
      is_mobile,
    },
    save({ device, ...size }) {
      const body: Emulation = device === custom ? size : device === none ? {} : { preset: device }
      return api.post('/api/browser/emulation', { body })
    },
    stale: ['/api/browser/emulation'],
    saved: () => announce('Saved'),
    fieldOf: (path) => (path === 'preset' ? 'device' : path),
  })
}

const defaultViewport = { width: 1280, height: 720 }

const path = '/api/settings/browser_credentials'

/** Usernames and passwords for sites that ask by HTTP, in a dialog of the browser and not on a page. */
function SignIns() {
  const query = useEndpoint(path)
  const all = (query.data?.sites ?? []).map(({ origin, username }) => ({ origin, username }))
  const without = (origin: string) => all.filter((site) => site.origin !== origin)
  const api = useApi()
  const form = useApiForm({
    initial: { origin: '', username: '', password: '' },
    save: (site) => api.put(path, { body: { sites: [...without(site.origin), site] } }),
    stale: [path],
    saved(_, { reset }) {
      reset()
      announce('Saved')
    },
    fieldOf: (name) => name.replace(/^sites\.\d+\.?/, ''),
  })
  const { text, password } = inputsOf(form, { size: 'xs' })
  return (
    <Panel title="HTTP sign-in">
      <List
        query={query}
        what="HTTP sign-ins"
        items="sites"
        empty="For sites that ask for a username and password before they show a page."
      >
        {({ origin, username }) => (
          <Row
            key={origin}
            name={origin}
            size="sm"
            actions={
              <DeleteButton
                what={origin}
                remove={(changing) => changing.put(path, { body: { sites: without(origin) } })}
              />
            }
          >
            <Hint>{username}</Hint>
          </Row>
        )}
      </List>
      <EntityForm aria-label="New HTTP sign-in" form={form} verb="Add" size="xs" gap="xs" px="md" pb="md">
        {text('origin', 'Site', { placeholder: 'https://example.com', required: true })}
        {text('username', 'Username', { required: true })}
        {password('password', 'Password', { required: true })}
      </EntityForm>
    </Panel>
  )
}
