import { ActionIcon, Button, Group, Popover, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'

interface DeleteButtonProps {
  what: string
  icon: ReactNode
  remove: { mutate: () => void; isPending: boolean }
}

/** Asks at the button itself. */
export function DeleteButton({ what, icon, remove }: DeleteButtonProps) {
  const [opened, setOpened] = useState(false)
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus withRoles>
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Delete ${what}`}
          loading={remove.isPending}
          onClick={() => setOpened(!opened)}
        >
          {icon}
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown maw={280}>
        <Stack gap="xs">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            Delete <b>{what}</b>? It cannot be brought back.
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button size="xs" variant="default" data-autofocus onClick={() => setOpened(false)}>
              Keep it
            </Button>
            <Button
              size="xs"
              color="red"
              onClick={() => {
                setOpened(false)
                remove.mutate()
              }}
            >
              Delete
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
