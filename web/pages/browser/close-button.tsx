import { Button, Group, Popover, Stack, Text } from '@mantine/core'
import { IconPower } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'

/** Tabs and cookies go with it, so it asks. */
export function CloseButton() {
  const api = useApi()
  const queries = useQueryClient()
  const [opened, setOpened] = useState(false)
  const close = useMutation({
    mutationFn: () => api.post('/api/browser/close'),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['browser'] })
      announce('The browser is closed')
    },
    onSettled: () => setOpened(false),
  })
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus withRoles>
      <Popover.Target>
        <Button variant="default" leftSection={<IconPower size={16} />} onClick={() => setOpened(!opened)}>
          Close the browser
        </Button>
      </Popover.Target>
      <Popover.Dropdown maw={300}>
        <Stack gap="sm">
          <Text size="sm">
            Its tabs and cookies go with it. Save the session first if you want to stay signed in.
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button size="xs" variant="default" data-autofocus onClick={() => setOpened(false)}>
              Keep it open
            </Button>
            <Button size="xs" color="red" loading={close.isPending} onClick={() => close.mutate()}>
              Close it
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
