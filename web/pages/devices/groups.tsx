import { Checkbox, Stack, Text } from '@mantine/core'
import { IconUsersGroup } from '@tabler/icons-react'
import type { Device } from '../../../runtime/devices/schema.ts'
import { ResourcePage } from '../../parts/resource-page.tsx'
import type { FieldProps } from '../../parts/schema/fields.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { CommandForm, type NewCommand, Result, usableOf } from './run-command.tsx'

/** Groups of devices; a command to a group is sent to each device. */
export function Groups({ devices }: { devices: Device[] }) {
  return (
    <ResourcePage
      path="/api/device-groups"
      items="groups"
      noun="group"
      title="Groups"
      icon={IconUsersGroup}
      empty="A command to a group is sent to each of its devices."
      row={({ id, description, device_ids }) => {
        const members = devices.filter((device) => device_ids.includes(device.id))
        const names = members.map(({ name }) => name).join(', ') || 'No devices'
        return {
          children: <Hint>{[description, names].filter(Boolean).join(' · ')}</Hint>,
          verb: 'Run a command',
          details: members.length > 0 && (() => <GroupCommand group={id} members={members} />),
        }
      }}
      form={{
        fields: { device_ids: (props) => <DevicesField {...props} devices={devices} /> },
        effect: 'Its devices are kept.',
      }}
    />
  )
}

const DevicesField = ({ label, value, change, error, devices }: FieldProps & { devices: Device[] }) => (
  <Checkbox.Group label={label} error={error} value={value as string[]} onChange={(ids) => change(ids, true)}>
    <Stack gap="xs" mt="xs">
      {devices.map(({ id, name }) => (
        <Checkbox key={id} value={id} label={name} />
      ))}
    </Stack>
  </Checkbox.Group>
)

/** Sends a command to every device in the group and shows each result. */
function GroupCommand({ group, members }: { group: string; members: Device[] }) {
  const send = useChange(
    (api, body: NewCommand) => api.post('/api/device-groups/{id}/commands', { params: { id: group }, body }),
    { stale: ['/api/devices'] },
  )
  const usable = [...new Set(members.flatMap(usableOf))]
  const nameOf = (id: string) => members.find((device) => device.id === id)?.name ?? id
  return (
    <CommandForm usable={usable} isOffline={members.some(({ status }) => status !== 'online')} send={send}>
      {send.data?.results.map(({ device_id, command, error }) => (
        <section key={device_id} aria-label={`Result of ${nameOf(device_id)}`}>
          <Text size="sm" fw={500}>
            {nameOf(device_id)}
          </Text>
          {error && <Text size="sm">{error}</Text>}
          {command && <Result device={device_id} command={command.id} />}
        </section>
      ))}
    </CommandForm>
  )
}
