import { Stack } from '@mantine/core'
import { SectionForm } from '../../settings/section/index.tsx'
import { EmulationForm } from './emulation.tsx'

/** How the browser runs, who pages take the visitor for, and on what device. */
export const SettingsPanel = () => (
  <Stack p="sm" gap="md">
    <EmulationForm />
    <SectionForm name="browser_profile" title="Who pages see" />
    <SectionForm name="browser" title="The browser" />
  </Stack>
)
