import { Button, Group, Stack } from '@mantine/core'
import type { BrowserProfile, Emulation } from '../../../runtime/browser/settings.ts'
import { useEndpoint, useRefresh } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { FormProblem, useApiForm } from '../../parts/form.tsx'
import { inputsOf } from '../../parts/inputs.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Panel } from '../../parts/panel.tsx'
import { SectionForm } from '../settings/section-form.tsx'

/** Device, identity, and how the browser runs. */
export function SettingsPanel() {
  const emulation = useEndpoint('/api/browser/emulation')
  const profile = useEndpoint('/api/browser/profile')
  return (
    <Stack p="sm" gap="md">
      <Panel title="Device">
        <Loaded query={emulation} what="Devices">
          {(data) => <DeviceForm key={JSON.stringify(data.emulation)} {...data} />}
        </Loaded>
      </Panel>
      <Panel title="Browser identity">
        <Loaded query={profile} what="The browser identity">
          {(data) => <IdentityForm key={JSON.stringify(data)} stored={data} />}
        </Loaded>
      </Panel>
      <SectionForm name="browser" title="Browser" />
    </Stack>
  )
}

const custom = 'Custom size'
const none = 'No emulation'

interface DeviceFormProps {
  emulation: Emulation
  presets: string[]
}

/** A preset applies at once; a custom size when it is submitted. */
function DeviceForm({ emulation, presets }: DeviceFormProps) {
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
  const refresh = useRefresh()
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
    async saved() {
      await refresh('/api/browser/emulation')
      announce('Saved')
    },
    fieldOf: (path) => (path === 'preset' ? 'device' : path),
  })
}

const defaultViewport = { width: 1280, height: 720 }

const colorSchemes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'no-preference', label: 'No preference' },
]

const byDefault = 'Default'

const optional = (label: string) => ({
  placeholder: byDefault,
  clearable: true,
  clearButtonProps: { 'aria-label': label },
})

const degrees = { allowDecimal: true, decimalScale: 6 }

/** What pages learn about the browser. Saved as a whole, because each change reloads the open pages. */
function IdentityForm({ stored }: { stored: BrowserProfile }) {
  const form = useIdentityForm(stored)
  const { text, select, toggle, number } = inputsOf(form)
  return (
    <form aria-label="Browser identity" onSubmit={form.submit}>
      <Stack px="md" pb="md" gap="sm">
        <FormProblem form={form} />
        {text('locale', 'Language', { placeholder: 'de-AT', maxLength: 35 })}
        {select('timezone', 'Time zone', Intl.supportedValuesOf('timeZone'), {
          ...optional('Clear time zone'),
          searchable: true,
          limit: 60,
        })}
        {select('color_scheme', 'Color scheme', colorSchemes, optional('Clear color scheme'))}
        {text('user_agent', 'User agent', { placeholder: byDefault, maxLength: 1_000, spellCheck: false })}
        {toggle('located', 'Share a location', { description: 'With pages that ask for it' })}
        {form.values.located && (
          <Group grow gap="sm">
            {number('geolocation.latitude', 'Latitude', degrees)}
            {number('geolocation.longitude', 'Longitude', degrees)}
          </Group>
        )}
        <Group>
          <Button type="submit" size="xs" loading={form.sending} disabled={!form.isDirty()}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function useIdentityForm({ locale, timezone, color_scheme, user_agent, geolocation }: BrowserProfile) {
  const api = useApi()
  const refresh = useRefresh()
  return useApiForm({
    initial: {
      locale: locale ?? '',
      timezone,
      color_scheme,
      user_agent: user_agent ?? '',
      located: geolocation !== null,
      geolocation: geolocation ?? { latitude: 0, longitude: 0, accuracy: 0 },
    },
    save: ({ located, ...values }) =>
      api.post('/api/browser/profile', {
        body: {
          ...values,
          locale: values.locale.trim() || null,
          user_agent: values.user_agent || null,
          geolocation: located ? values.geolocation : null,
        },
      }),
    async saved() {
      await refresh('/api/browser/profile')
      announce('Saved')
    },
  })
}
