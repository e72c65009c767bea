import { Group, Kbd, Modal, Stack, Text } from '@mantine/core'
import { shortcuts } from './shortcuts.ts'

export function KeysHelp({ close }: { close: () => void }) {
  return (
    <Modal opened onClose={close} title="Keyboard shortcuts" size="sm">
      <Stack gap="xs">
        {shortcuts.map(({ keys, does }) => (
          <Group key={does} justify="space-between" wrap="nowrap">
            <Text size="sm">{does}</Text>
            <Group gap={4} wrap="nowrap">
              {keys.map((key) => (
                <Kbd key={key} size="sm">
                  {key}
                </Kbd>
              ))}
            </Group>
          </Group>
        ))}
      </Stack>
    </Modal>
  )
}
