import { Button, FileButton, Group, Input, Stack, useMantineColorScheme } from '@mantine/core'
import { IconPhotoUp } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import type { Profile as Values } from '../../../runtime/auth/profile.ts'
import { profileQuery, useMyName, useProfile } from '../../api/settings.ts'
import { useApi } from '../../app/services.tsx'
import { schemeOf } from '../../app/theme.ts'
import { announce } from '../../parts/announce.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { Face } from '../../parts/face.tsx'
import { useDrop } from '../../parts/files/drop.ts'
import { EntityForm, inputsOf, required, tenCharacters, useApiForm } from '../../parts/form.tsx'
import { Loaded } from '../../parts/list.tsx'
import { Panel } from '../../parts/page.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'

export function Profile() {
  const query = useProfile()
  return (
    <Stack gap="lg" maw={640}>
      <Panel title="You">
        <Loaded query={query} what="Your profile">
          {(profile) => <ProfileForm profile={profile} />}
        </Loaded>
      </Panel>
      <PasswordForm />
    </Stack>
  )
}

const themes: { value: Values['theme']; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

/** Browsers do not list all zones, for example UTC. */
const zonesWith = (zone: string) => [...new Set(['UTC', zone, ...Intl.supportedValuesOf('timeZone')])]

function ProfileForm({ profile }: { profile: Values }) {
  const api = useApi()
  const queries = useQueryClient()
  const { setColorScheme } = useMantineColorScheme()
  const myName = useMyName()
  const store = (saved: Values) => void queries.setQueryData(profileQuery(api).queryKey, saved)
  const form = useApiForm({
    initial: { display_name: profile.display_name, timezone: profile.timezone },
    save: (_, body) => api.put('/api/settings/profile', { body }),
    saved(saved) {
      store(saved)
      announce('Profile saved')
    },
  })
  const { text, select } = inputsOf(form)
  const theme = useChange(
    (changing, chosen: Values['theme']) => changing.put('/api/settings/profile', { body: { theme: chosen } }),
    { done: store },
  )
  return (
    <EntityForm form={form} verb="Save" p="md" pt={4}>
      <AvatarField name={form.values.display_name || myName} avatar={profile.avatar_url} />
      {text('display_name', 'Name', { maxLength: 100, autoComplete: 'name' })}
      {select('timezone', 'Time zone', zonesWith(profile.timezone), {
        description: 'Used for times and schedules',
        searchable: true,
        limit: 100,
        nothingFoundMessage: 'No matching time zone',
      })}
      <Input.Wrapper label="Theme" labelElement="div">
        <Button.Group aria-label="Theme">
          {themes.map(({ value, label }) => (
            <Button
              key={value}
              variant={profile.theme === value ? 'light' : 'default'}
              aria-pressed={profile.theme === value}
              onClick={() => {
                setColorScheme(schemeOf(value))
                theme.mutate(value)
              }}
            >
              {label}
            </Button>
          ))}
        </Button.Group>
      </Input.Wrapper>
    </EntityForm>
  )
}

const kinds = 'image/png,image/jpeg,image/gif,image/webp'

/** Uploads a picture that is chosen or dropped. */
function AvatarField({ name, avatar }: { name: string; avatar: string | null }) {
  const upload = useChange(
    (api, file: File) => {
      const form = new FormData()
      form.append('file', file)
      return api.post('/api/settings/avatar', { body: form })
    },
    { stale: ['/api/settings/profile'] },
  )
  const remove = useChange((api) => api.put('/api/settings/profile', { body: { avatar_url: null } }))
  const { over, handlers } = useDrop(([file]) => file && upload.mutate(file))
  return (
    <Group
      {...handlers}
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
              <SmallButton icon={IconPhotoUp} loading={upload.isPending} {...props}>
                Choose picture
              </SmallButton>
            )}
          </FileButton>
          {avatar && (
            <Button variant="subtle" color="gray" size="xs" onClick={() => remove.mutate()}>
              Remove
            </Button>
          )}
        </Group>
        <Hint mt={4}>PNG, JPEG, GIF or WebP, up to 2 MB. You can also drop a file here.</Hint>
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
  const { password } = inputsOf(form)
  return (
    <Panel title="Password">
      <EntityForm form={form} verb="Change password" p="md" pt={4}>
        {password('current_password', 'Current password', { ...required, autoComplete: 'current-password' })}
        {password('new_password', 'New password', {
          ...required,
          description: tenCharacters,
          autoComplete: 'new-password',
          minLength: 10,
        })}
      </EntityForm>
    </Panel>
  )
}
