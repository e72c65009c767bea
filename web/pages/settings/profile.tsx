import {
  Button,
  Group,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
  useMantineColorScheme,
} from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { fieldErrors } from '../../api/error.ts'
import { profileQuery, type Profile as Values } from '../../api/settings.ts'
import { useApi } from '../../app/services.tsx'
import { schemeOf } from '../../app/theme.ts'
import { announce } from '../../parts/announce.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { NotifyButton } from '../../parts/notify.tsx'
import { Panel } from '../../parts/panel.tsx'
import { AvatarField } from './avatar-field.tsx'
import { PasswordForm } from './password-form.tsx'

export function Profile() {
  const query = useQuery(profileQuery(useApi()))
  return (
    <Stack gap="lg" maw={640}>
      <Panel title="You">
        <Loaded query={query} what="Your profile">
          {(profile) => <ProfileForm profile={profile} />}
        </Loaded>
      </Panel>
      <Panel title="In this browser" action={<NotifyButton />}>
        <Text size="sm" c="dimmed" px="md" pb="md">
          Notifications tell you of approvals, and of answers that end while you look elsewhere.
        </Text>
      </Panel>
      <PasswordForm />
    </Stack>
  )
}

const themes = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]
const zones = Intl.supportedValuesOf('timeZone')

function ProfileForm({ profile }: { profile: Values }) {
  const { save, errors } = useSave()
  const { setColorScheme } = useMantineColorScheme()
  const [name, setName] = useState(profile.display_name)
  const [zone, setZone] = useState<string | null>(profile.timezone)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(
      { display_name: name, ...(zone && { timezone: zone }) },
      { onSuccess: () => announce('Your profile is saved') },
    )
  }
  const setTheme = (theme: string) => {
    setColorScheme(schemeOf(theme))
    save.mutate({ theme: theme as Values['theme'] })
  }
  return (
    <Stack component="form" onSubmit={submit} p="md" pt={4}>
      <AvatarField name={name || 'You'} avatar={profile.avatar_url} />
      <TextInput
        label="Name"
        maxLength={100}
        autoComplete="name"
        error={errors.display_name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Select
        label="Time zone"
        description="Times are shown in it, and schedules follow it"
        searchable
        data={withChosen(zones, profile.timezone)}
        value={zone}
        onChange={setZone}
        allowDeselect={false}
        error={errors.timezone}
        limit={100}
        nothingFoundMessage="No such zone"
      />
      <div>
        <Text size="sm" fw={500} mb={4} id="theme-label">
          Theme
        </Text>
        <SegmentedControl
          aria-labelledby="theme-label"
          data={themes}
          value={profile.theme}
          onChange={setTheme}
        />
      </div>
      <Group justify="flex-end">
        <Button type="submit" loading={save.isPending && !save.variables.theme}>
          Save
        </Button>
      </Group>
    </Stack>
  )
}

function useSave() {
  const api = useApi()
  const queries = useQueryClient()
  const save = useMutation({
    mutationFn: (changes: Partial<Values>) => api.put('/api/settings/profile', { body: changes }),
    onSuccess: (saved) => queries.setQueryData(profileQuery(api).queryKey, saved),
  })
  return { save, errors: fieldErrors(save.error) }
}

/** Browsers leave out some names that a daemon knows, such as UTC. */
const withChosen = (known: string[], chosen: string) => [...new Set(['UTC', chosen, ...known])]
