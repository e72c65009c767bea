import { ActionIcon, Button, Group, Popover, Stack, Text, Tooltip } from '@mantine/core'
import { IconAlarm, IconX } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CheckIn } from '../../../runtime/chat/check-ins/schema.ts'
import { useApi } from '../../app/services.tsx'
import { Time } from '../../parts/time.tsx'

/** The check-ins that are open, soonest first; each can be cancelled. Nothing is shown while there is none. */
export function CheckIns({ conversation }: { conversation: string }) {
  const api = useApi()
  const queries = useQueryClient()
  const path = `/api/chat/conversations/${conversation}/check-ins`
  const query = useQuery({
    queryKey: ['check-ins', conversation],
    queryFn: ({ signal }) => api.get<{ check_ins: CheckIn[] }>(path, {}, signal),
  })
  const cancel = useMutation({
    mutationFn: (id: string) => api.remove(`${path}/${id}`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['check-ins', conversation] }),
  })
  const open = query.data?.check_ins ?? []
  if (open.length === 0) return null
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
