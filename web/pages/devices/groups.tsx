import { Checkbox, Stack, Text, TextInput } from '@mantine/core'
import { IconPencil, IconSend, IconUsersGroup } from '@tabler/icons-react'
import { useState } from 'react'
import type { DeviceGroup } from '../../../runtime/devices/groups.ts'
import type { Device } from '../../../runtime/devices/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { AddButton, IconButton, SmallButton } from '../../parts/buttons.tsx'
import { DeleteButton } from '../../parts/confirm.tsx'
import { EntityForm, useApiForm } from '../../parts/form.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { EmptyState, Loaded } from '../../parts/list.tsx'
import { Panel, Row } from '../../parts/page.tsx'
import { useChange } from '../../parts/use-change.ts'
import { stale } from './labels.ts'
import { CommandForm, type NewCommand, Result, usableOf } from './run-command.tsx'

/** Groups of devices; a command to a group is sent to each device. */
export function Groups({ devices }: { devices: Device[] }) {
  const query = useEndpoint('/api/device-groups', { query: { limit: 200 } })
  const [edited, setEdited] = useState<DeviceGroup | 'new' | null>(null)
  return (
    <Panel
      title="Groups"
      count={query.data?.total}
      action={<AddButton onClick={() => setEdited('new')}>New group</AddButton>}
    >
      <Loaded query={query} what="Groups">
        {({ groups }) =>
          groups.length === 0 ? (
            <EmptyState icon={<IconUsersGroup size={28} />} title="No groups yet">
              A command to a group is sent to each of its devices.
            </EmptyState>
          ) : (
            groups.map((group) => (
              <GroupRow key={group.id} group={group} devices={devices} edit={() => setEdited(group)} />
            ))
          )
        }
      </Loaded>
      {edited && (
        <FormDrawer title={edited === 'new' ? 'New group' : edited.name} close={() => setEdited(null)}>
          {({ leave }) => (
            <GroupForm group={edited === 'new' ? null : edited} devices={devices} close={leave} />
          )}
        </FormDrawer>
      )}
    </Panel>
  )
}

function GroupRow({ group, devices, edit }: { group: DeviceGroup; devices: Device[]; edit: () => void }) {
  const { id, name, description, device_ids } = group
  const [isOpen, setOpen] = useState(false)
  const members = devices.filter((device) => device_ids.includes(device.id))
  const names = members.map((device) => device.name)
  const remove = useChange((api) => api.delete('/api/device-groups/{id}', { params: { id } }), {
    stale,
    done: () => announce(`${name} was deleted`),
  })
  return (
    <Row
      name={name}
      actions={
        <>
          {members.length > 0 && (
            <SmallButton icon={IconSend} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              Run a command
            </SmallButton>
          )}
          <IconButton label={`Edit ${name}`} icon={IconPencil} onClick={edit} />
          <DeleteButton what={name} remove={remove} />
        </>
      }
      details={isOpen && <GroupCommand group={id} members={members} />}
    >
      <Text size="xs" c="dimmed">
        {[description, names.join(', ') || 'No devices'].filter(Boolean).join(' · ')}
      </Text>
    </Row>
  )
}

/** Sends a command to every device in the group and shows each result. */
function GroupCommand({ group, members }: { group: string; members: Device[] }) {
  const send = useChange(
    (api, body: NewCommand) => api.post('/api/device-groups/{id}/commands', { params: { id: group }, body }),
    { stale },
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

interface GroupFormProps {
  group: DeviceGroup | null
  devices: Device[]
  close: () => void
}

function GroupForm({ group, devices, close }: GroupFormProps) {
  const api = useApi()
  const form = useApiForm({
    initial: {
      name: group?.name ?? '',
      description: group?.description ?? '',
      device_ids: group?.device_ids ?? [],
    },
    save: (body, changes) =>
      group
        ? api.put('/api/device-groups/{id}', { params: { id: group.id }, body: changes })
        : api.post('/api/device-groups', { body }),
    saved: close,
    stale,
  })
  return (
    <EntityForm form={form} verb={group ? 'Save' : 'Create group'} close={close}>
      <TextInput label="Name" required withAsterisk={false} maxLength={100} {...form.getInputProps('name')} />
      <TextInput label="Description" maxLength={1_000} {...form.getInputProps('description')} />
      <Checkbox.Group label="Devices" {...form.getInputProps('device_ids')}>
        <Stack gap="xs" mt="xs">
          {devices.map(({ id, name }) => (
            <Checkbox key={id} value={id} label={name} />
          ))}
        </Stack>
      </Checkbox.Group>
    </EntityForm>
  )
}
