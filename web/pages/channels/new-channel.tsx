import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Channel, PlatformInfo } from '../../../runtime/channels/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { EntityForm, inputsOf, useApiForm } from '../../parts/form.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { Loaded } from '../../parts/list.tsx'
import { Muted } from '../../parts/typography.tsx'
import { CredentialFields, changedCredentials } from './credentials.tsx'

export function NewChannelDrawer({ close }: { close: () => void }) {
  const platforms = useEndpoint('/api/channels/platforms')
  const [chosen, setChosen] = useState('')
  return (
    <FormDrawer title="New channel" close={close}>
      {({ leave }) => (
        <Loaded query={platforms} what="The platforms">
          {({ platforms: all }) => {
            const platform = all.find(({ name }) => name === chosen) ?? all[0]
            return (
              <>
                <NativeSelect
                  label="Platform"
                  mb="md"
                  data={all.map(({ name, title }) => ({ value: name, label: title }))}
                  value={platform?.name}
                  onChange={({ currentTarget: { value } }) => setChosen(value)}
                />
                {platform && <NewChannelForm key={platform.name} platform={platform} close={leave} />}
              </>
            )
          }}
        </Loaded>
      )}
    </FormDrawer>
  )
}

interface Values extends Record<string, unknown> {
  name: string
  credentials: Record<string, string>
}

function NewChannelForm({ platform, close }: { platform: PlatformInfo; close: () => void }) {
  const api = useApi()
  const [, navigate] = useLocation()
  const names = platform.credentials.map(({ name }) => [name, ''] as const)
  const form = useApiForm<Values, Channel>({
    initial: { name: platform.title, credentials: Object.fromEntries(names) },
    save: ({ name, credentials }) =>
      api.post('/api/channels', {
        body: { platform: platform.name, name, credentials: changedCredentials(platform, credentials) },
      }),
    stale: ['/api/channels'],
    saved: ({ id }) => navigate(`/channels/${id}`),
  })
  return (
    <EntityForm form={form} verb="Create channel" close={close} noValidate>
      {inputsOf(form).text('name', 'Name', { maxLength: 100 })}
      <CredentialFields platform={platform} input={(path) => form.getInputProps(path)} />
      <Muted>
        The next page explains where to find these values and what to enter on the platform. You can add them later.
      </Muted>
    </EntityForm>
  )
}
