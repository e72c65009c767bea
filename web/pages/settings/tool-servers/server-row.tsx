import { Alert, Badge, Button, Group, List, Text, UnstyledButton } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useState } from 'react'
import type { ToolServer } from '../../../api/tool-servers.ts'
import { counted } from '../../../parts/numbers.ts'
import { ToolList } from './tool-list.tsx'
import { useServer } from './use-server.ts'

const states: Record<ToolServer['status'], { label: string; color: string }> = {
  disabled: { label: 'Off', color: 'gray' },
  idle: { label: 'Starts when needed', color: 'teal' },
  connecting: { label: 'Connecting…', color: 'yellow' },
  connected: { label: 'Connected', color: 'teal' },
  restarting: { label: 'Starting again…', color: 'yellow' },
  failed: { label: 'Failed', color: 'red' },
}

export function ServerRow({ server, edit }: { server: ToolServer; edit: () => void }) {
  const [opened, setOpened] = useState(false)
  const { connect, disconnect, discover, test } = useServer(server)
  const { label, color } = states[server.status]
  const busy = connect.isPending || disconnect.isPending || discover.isPending || test.isPending
  return (
    <article className="row" style={{ display: 'block' }} aria-label={server.name}>
      <Group gap="sm" justify="space-between">
        <div className="words">
          <Group gap={6}>
            <Text fw={500}>{server.name}</Text>
            <Badge size="sm" variant="light" color={color}>
              {label}
            </Badge>
          </Group>
          <Text size="xs" c="dimmed" className="mono">
            {server.url ?? [server.command, ...server.args].join(' ')}
          </Text>
          {server.tools.length > 0 && (
            <UnstyledButton fz="xs" td="underline" aria-expanded={opened} onClick={() => setOpened(!opened)}>
              {counted(server.tools.length, 'tool', 'tools')}
            </UnstyledButton>
          )}
        </div>
        <Group gap="xs">
          {server.enabled ? (
            <Button
              size="xs"
              variant="default"
              loading={disconnect.isPending}
              disabled={busy}
              onClick={() => disconnect.mutate()}
            >
              Disconnect
            </Button>
          ) : (
            <Button size="xs" loading={connect.isPending} disabled={busy} onClick={() => connect.mutate()}>
              Connect
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            loading={test.isPending}
            disabled={busy}
            onClick={() => test.mutate()}
          >
            Test
          </Button>
          {!server.suspended && (
            <Button
              size="xs"
              variant="default"
              loading={discover.isPending}
              disabled={busy}
              onClick={() => discover.mutate()}
            >
              Find tools
            </Button>
          )}
          <Button size="xs" variant="default" disabled={busy} onClick={edit}>
            Edit
          </Button>
        </Group>
      </Group>
      {server.last_error && (
        <Text size="sm" c="var(--mantine-color-error)" mt={4}>
          {server.last_error}
        </Text>
      )}
      {server.suspended && (
        <Suspended server={server} pending={discover.isPending} approve={() => discover.mutate()} />
      )}
      {opened && <ToolList server={server} />}
    </article>
  )
}

interface SuspendedProps {
  server: ToolServer
  pending: boolean
  approve: () => void
}

const differences = { changed: 'Changed', new: 'New', gone: 'No longer offered' } as const

/** A tool that was harmless when it was approved may have become another one. */
function Suspended({ server, pending, approve }: SuspendedProps) {
  return (
    <Alert
      mt="xs"
      color="yellow"
      icon={<IconAlertTriangle size={18} />}
      title="What it offers is not what was approved"
    >
      <List size="sm">
        {server.tools.flatMap(({ name, state, description }) =>
          state in differences
            ? [
                <List.Item key={name}>
                  {differences[state as keyof typeof differences]}: <span className="mono">{name}</span>
                  {state === 'new' && description && `, “${description}”`}
                </List.Item>,
              ]
            : [],
        )}
      </List>
      <Text size="sm" my="xs">
        Agents cannot use these tools until you have approved them.
      </Text>
      <Button size="xs" loading={pending} onClick={approve}>
        Approve again
      </Button>
    </Alert>
  )
}
