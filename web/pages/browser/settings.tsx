import { Button, Group, Stack } from '@mantine/core'
import type { Emulation } from '../../../runtime/browser/settings.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { AdministratorsOnly } from '../../parts/administrators-only.tsx'
import { announce } from '../../parts/announce.ts'
import { FormProblem, inputsOf, useApiForm } from '../../parts/form.tsx'
import { Loaded } from '../../parts/list.tsx'
import { Panel } from '../../parts/page.tsx'
import { SectionForm } from '../settings/section-form.tsx'
import { SignIns } from './sign-ins.tsx'

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
