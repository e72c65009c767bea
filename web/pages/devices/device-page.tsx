import { Box, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconDevices, IconKey, IconPencil, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Device } from '../../../runtime/devices/schema.ts'
import { useOptional } from '../../api/query.ts'
import { announce } from '../../parts/announce.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { ConfirmButton } from '../../parts/confirm.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Found } from '../../parts/list.tsx'
import { PageHeader, Panel } from '../../parts/page.tsx'
import { Facts, StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { Capabilities } from './capabilities.tsx'
import { deviceStatus, healthFacts, platformLabels } from './labels.ts'
import { Commands, RunCommand } from './run-command.tsx'

export function DevicePage({ id }: { id: string }) {
  const query = useOptional('/api/devices/{id}', { params: { id } })
  return (
    <div className="page">
      <TextLink href="/devices">← Devices</TextLink>
      <Found query={query} what="This device" icon={<IconDevices size={28} />}>
        {(device) => <Content device={device} />}
      </Found>
    </div>
  )
}

function Content({ device }: { device: Device }) {
  const isUsable = device.status !== 'revoked'
  return (
    <>
      <PageHeader title={device.name} description={<StatusBadge {...deviceStatus(device.status)} />}>
        {isUsable && <Rename device={device} />}
        {isUsable && <Rotate device={device} />}
        <Remove device={device} />
      </PageHeader>
      <Stack gap="lg">
        <Panel title="About">
          <Box px="md" pb="md">
            <Facts
              facts={[
                ['Platform', platformLabels[device.platform]],
                ['Model', device.model],
                ['System', device.os_version],
                ['Client', device.client_version],
                ['Last seen', device.last_seen_at ? <Time key="seen" at={device.last_seen_at} /> : 'Never'],
                ['Paired', <Time key="paired" at={device.paired_at} />],
                ['When disconnected', device.push && 'Notified by Web Push'],
                ...healthFacts(device),
              ]}
            />
          </Box>
        </Panel>
        {isUsable && <Capabilities device={device} />}
        {isUsable && <RunCommand device={device} />}
        <Commands device={device} />
      </Stack>
    </>
  )
}

function Rename({ device: { id, name } }: { device: Device }) {
  const [draft, setDraft] = useState<string | null>(null)
  const rename = useChange(
    (api, next: string) => api.put('/api/devices/{id}', { params: { id }, body: { name: next } }),
    { done: () => setDraft(null) },
  )
  if (draft === null)
    return (
      <SmallButton icon={IconPencil} onClick={() => setDraft(name)}>
        Rename
      </SmallButton>
    )
  return (
    <Group
      component="form"
      gap="xs"
      onSubmit={(event) => {
        event.preventDefault()
        rename.mutate(draft)
      }}
    >
      <TextInput
        size="xs"
        aria-label="Name"
        required
        maxLength={100}
        value={draft}
        onChange={({ currentTarget }) => setDraft(currentTarget.value)}
      />
      <SmallButton type="submit" loading={rename.isPending}>
        Save
      </SmallButton>
    </Group>
  )
}

function Rotate({ device: { id, name } }: { device: Device }) {
  const rotate = useChange((api) => api.post('/api/devices/{id}/rotate-token', { params: { id } }))
  if (rotate.data)
    return (
      <Group gap="xs">
        <Text size="sm">New token, shown once</Text>
        <CopyButton value={rotate.data.device_token} what="token" />
      </Group>
    )
  return (
    <ConfirmButton
      question={`Replace the token of ${name}? It stays disconnected until you enter the new token on it.`}
      verb="Replace token"
      icon={IconKey}
      run={rotate}
    >
      New token
    </ConfirmButton>
  )
}

function Remove({ device: { id, name, status } }: { device: Device }) {
  const [, navigate] = useLocation()
  const isRevoked = status === 'revoked'
  return (
    <ConfirmButton
      question={
        isRevoked
          ? `Delete ${name} and its command log? This cannot be undone.`
          : `Revoke ${name}? Its token is deleted and its queued commands are cancelled. To use it again, pair it again.`
      }
      verb={isRevoked ? 'Delete' : 'Revoke'}
      c="var(--mantine-color-error)"
      icon={IconTrash}
      run={(api) => api.delete('/api/devices/{id}', { params: { id } })}
      done={() => {
        announce(isRevoked ? `${name} was deleted` : `${name} was revoked`)
        navigate('/devices')
      }}
    >
      {isRevoked ? 'Delete' : 'Revoke'}
    </ConfirmButton>
  )
}
