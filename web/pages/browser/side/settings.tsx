import { Stack } from '@mantine/core'
import { SectionForm } from '../../settings/section/index.tsx'
import { EmulationForm } from './emulation.tsx'
import { ProfileForm } from './profile.tsx'

/** How the browser runs, who pages take the visitor for, and on what device. */
export const SettingsPanel = () => (
  <Stack p="sm" gap="md">
    <EmulationForm />
    <ProfileForm />
    <SectionForm name="browser" title="The browser" />
  </Stack>
)
