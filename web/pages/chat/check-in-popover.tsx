import { Button, Group, Popover, Stack, Text } from '@mantine/core'
import { IconAlarm, IconX } from '@tabler/icons-react'
import type { CheckIn } from '../../../runtime/chat/schema.ts'
import { IconButton } from '../../parts/buttons.tsx'
import { Time } from '../../parts/time.tsx'
import { useChange } from '../../parts/use-change.ts'

/** The number of check-ins; a click lists them, each with a button that cancels it. */
export function CheckInPopover({ conversation, open }: { conversation: string; open: readonly CheckIn[] }) {
  const cancel = useChange(
    (api, check_in_id: string) =>
      api.delete('/api/chat/conversations/{id}/check-ins/{check_in_id}', { params: { id: conversation, check_in_id } }),
    { stale: [`/api/chat/conversations/${conversation}/check-ins`] },
  )
  return (
    <Popover position="bottom-end" width={300} shadow="md" withArrow>
      <Popover.Target>
        <Button
          variant="light"
          size="compact-xs"
          leftSection={<IconAlarm size={14} />}
          aria-label={open.length === 1 ? '1 check-in' : `${open.length} check-ins`}
        >
          {open.length}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <Text size="sm" fw={600}>
            The agent will check back
          </Text>
          {open.map((one) => (
            <Group key={one.check_in_id} justify="space-between" wrap="nowrap" gap="xs">
              <Text size="sm" style={{ minWidth: 0 }}>
                {one.waiting_on} · {one.status === 'delivering' ? 'now' : <Time at={one.due_at} />}
              </Text>
              <IconButton label="Cancel this check-in" icon={IconX} onClick={() => cancel.mutate(one.check_in_id)} />
            </Group>
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
