import {
  Button,
  FileButton,
  Group,
  PasswordInput,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
  useMantineColorScheme,
} from '@mantine/core'
import { IconPhotoUp } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type DragEvent, type FormEvent, useState } from 'react'
import type { Profile as Values } from '../../../runtime/settings/profile.ts'
import { fieldErrors } from '../../api/error.ts'
import { refresh } from '../../api/live.ts'
import { profileQuery, useProfile } from '../../api/settings.ts'
import { useApi } from '../../app/services.tsx'
import { schemeOf } from '../../app/theme.ts'
import { announce } from '../../parts/announce.ts'
import { Face } from '../../parts/face.tsx'
import { FormProblem, useApiForm } from '../../parts/form.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { NotifyButton } from '../../parts/notify.tsx'
import { Panel } from '../../parts/panel.tsx'

export function Profile() {
  const query = useProfile()
  return (
    <Stack gap="lg" maw={640}>
      <Panel title="You">
        <Loaded query={query} what="Your profile">
          {(profile) => <ProfileForm profile={profile} />}
        </Loaded>
      </Panel>
      <Panel title="In this browser" action={<NotifyButton />}>
        <Text size="sm" c="dimmed" px="md" pb="md">
          Get notified of approval requests, and of answers that finish while this page is in the background.
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
      { onSuccess: () => announce('Profile saved') },
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
        description="Used for times and schedules"
        searchable
        data={withChosen(zones, profile.timezone)}
        value={zone}
        onChange={setZone}
        allowDeselect={false}
        error={errors.timezone}
        limit={100}
        nothingFoundMessage="No matching time zone"
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

/** Browsers do not list all zones, for example UTC. */
const withChosen = (known: string[], chosen: string) => [...new Set(['UTC', chosen, ...known])]

const kinds = 'image/png,image/jpeg,image/gif,image/webp'

/** Uploads a picture that is chosen or dropped. */
function AvatarField({ name, avatar }: { name: string; avatar: string | null }) {
  const api = useApi()
  const queries = useQueryClient()
  const [over, setOver] = useState(false)
  const refetch = () => refresh(queries, '/api/settings/profile')
  const upload = useMutation({
    mutationFn: (file: File) => {
      const form = new FormData()
      form.append('file', file)
      return api.post('/api/settings/avatar', { body: form })
    },
    onSuccess: refetch,
  })
  const remove = useMutation({
    mutationFn: () => api.put('/api/settings/profile', { body: { avatar_url: null } }),
    onSuccess: refetch,
  })
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const file = event.dataTransfer.files[0]
    if (file) upload.mutate(file)
  }
  return (
    <Group
      gap="md"
      onDrop={drop}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      style={{
        outline: over ? '2px dashed var(--mantine-primary-color-filled)' : undefined,
        outlineOffset: 6,
        borderRadius: 8,
      }}
    >
      <Face name={name} url={avatar} size={64} />
      <div>
        <Group gap="xs">
          <FileButton accept={kinds} onChange={(file) => file && upload.mutate(file)}>
            {(props) => (
              <Button
                variant="default"
                size="xs"
                leftSection={<IconPhotoUp size={14} />}
                loading={upload.isPending}
                {...props}
              >
                Choose a picture
              </Button>
            )}
          </FileButton>
          {avatar && (
            <Button variant="subtle" color="gray" size="xs" onClick={() => remove.mutate()}>
              Remove
            </Button>
          )}
        </Group>
        <Text size="xs" c="dimmed" mt={4}>
          PNG, JPEG, GIF or WebP, at most 2 MB. You can drop one here.
        </Text>
      </div>
    </Group>
  )
}

function PasswordForm() {
  const api = useApi()
  const form = useApiForm({
    initial: { current_password: '', new_password: '' },
    save: (body) => api.post('/api/auth/password', { body }),
    saved(_, { reset }) {
      reset()
      announce('Password changed')
    },
  })
  return (
    <Panel title="Password">
      <Stack component="form" onSubmit={form.submit} p="md" pt={4}>
        <FormProblem form={form} />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          {...form.getInputProps('current_password')}
        />
        <PasswordInput
          label="New password"
          description="At least 10 characters"
          autoComplete="new-password"
          required
          withAsterisk={false}
          minLength={10}
          {...form.getInputProps('new_password')}
        />
        <Group justify="flex-end">
          <Button type="submit" variant="default" loading={form.sending}>
            Change password
          </Button>
        </Group>
      </Stack>
    </Panel>
  )
}
