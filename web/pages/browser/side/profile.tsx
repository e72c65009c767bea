import { Button, Group, NumberInput, Select, Stack, Switch, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type BrowserProfile, browserProfileQuery } from '../../../api/browser.ts'
import { fieldErrors } from '../../../api/error.ts'
import { useApi } from '../../../app/services.tsx'
import { announce, announceError } from '../../../parts/announce.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Panel } from '../../../parts/panel.tsx'

/** Who pages take the visitor for. Saved as a whole, for each change loads the open pages anew. */
export function ProfileForm() {
  const query = useQuery(browserProfileQuery(useApi()))
  return (
    <Panel title="Visitor">
      <Loaded query={query} what="The visitor">
        {(profile) => <Form key={JSON.stringify(profile)} stored={profile} />}
      </Loaded>
    </Panel>
  )
}

const schemes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'no-preference', label: 'No preference' },
]
const itsOwn = 'Its own'

function Form({ stored }: { stored: BrowserProfile }) {
  const [profile, setProfile] = useState(stored)
  const save = useSave()
  const errors = fieldErrors(save.error)
  const change = (some: Partial<BrowserProfile>) => setProfile((before) => ({ ...before, ...some }))
  const { user_agent, locale, timezone, color_scheme } = profile
  return (
    <form
      aria-label="Visitor"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate(profile)
      }}
    >
      <Stack px="md" pb="md" gap="sm">
        <TextInput
          label="Language"
          placeholder="de-AT"
          maxLength={35}
          value={locale ?? ''}
          error={errors.locale}
          onChange={(event) => change({ locale: event.currentTarget.value.trim() || null })}
        />
        <Select
          label="Time zone"
          placeholder={itsOwn}
          data={Intl.supportedValuesOf('timeZone')}
          value={timezone}
          error={errors.timezone}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'No time zone' }}
          limit={60}
          onChange={(next) => change({ timezone: next })}
        />
        <Select
          label="Colours"
          placeholder={itsOwn}
          data={schemes}
          value={color_scheme}
          clearable
          clearButtonProps={{ 'aria-label': 'No colours' }}
          onChange={(next) => change({ color_scheme: next as BrowserProfile['color_scheme'] })}
        />
        <TextInput
          label="User agent"
          placeholder={itsOwn}
          maxLength={1_000}
          spellCheck={false}
          value={user_agent ?? ''}
          error={errors.user_agent}
          onChange={(event) => change({ user_agent: event.currentTarget.value || null })}
        />
        <Place place={profile.geolocation} errors={errors} save={(geolocation) => change({ geolocation })} />
        <Group>
          <Button type="submit" size="xs" loading={save.isPending} disabled={profile === stored}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type Geolocation = BrowserProfile['geolocation']

interface PlaceProps {
  place: Geolocation
  errors: Record<string, string>
  save: (place: Geolocation) => void
}

function Place({ place, errors, save }: PlaceProps) {
  return (
    <>
      <Switch
        label="Tell pages a place"
        description="When they ask where they are"
        checked={place !== null}
        onChange={(event) =>
          save(event.currentTarget.checked ? { latitude: 0, longitude: 0, accuracy: 0 } : null)
        }
      />
      {place && (
        <Group grow gap="sm">
          <NumberInput
            label="Latitude"
            decimalScale={6}
            value={place.latitude}
            error={errors['geolocation.latitude']}
            onChange={(next) => save({ ...place, latitude: Number(next) })}
          />
          <NumberInput
            label="Longitude"
            decimalScale={6}
            value={place.longitude}
            error={errors['geolocation.longitude']}
            onChange={(next) => save({ ...place, longitude: Number(next) })}
          />
        </Group>
      )}
    </>
  )
}

function useSave() {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (profile: BrowserProfile) => api.post<BrowserProfile>('/api/browser/profile', profile),
    meta: { shown: true },
    onSuccess(saved) {
      queries.setQueryData(browserProfileQuery(api).queryKey, saved)
      announce('Saved')
    },
    onError(error) {
      if (Object.keys(fieldErrors(error)).length === 0) announceError(error)
    },
  })
}
