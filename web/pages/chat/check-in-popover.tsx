import { ActionIcon, Button, Group, Popover, Stack, Text, Tooltip } from '@mantine/core'
import { IconAlarm, IconX } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { CheckIn } from '../../../runtime/chat/schema.ts'
import { useApi } from '../../app/services.tsx'
import { Time } from '../../parts/time.tsx'

/** How many come back by themselves, and behind it each with a way to cancel it. */
export function CheckInPopover({ conversation, open }: { conversation: string; open: readonly CheckIn[] }) {
  const api = useApi()
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: (id: string) => api.remove(`/api/chat/conversations/${conversation}/check-ins/${id}`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['check-ins', conversation] }),
  })
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
            Comes back by itself
          </Text>
          {open.map((one) => (
            <Group key={one.check_in_id} justify="space-between" wrap="nowrap" gap="xs">
              <Text size="sm" style={{ minWidth: 0 }}>
                {one.waiting_on} · {one.status === 'delivering' ? 'now' : <Time at={one.due_at} />}
              </Text>
              <Tooltip label="Cancel this check-in">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label="Cancel this check-in"
                  onClick={() => cancel.mutate(one.check_in_id)}
                >
                  <IconX size={16} />
                </ActionIcon>
              </Tooltip>
            </Group>
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
