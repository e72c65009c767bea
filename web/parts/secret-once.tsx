import { Alert, Group, Stack, Text } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { CopyButton } from './copy-button.tsx'

interface SecretOnceProps {
  secret: string
  what: string
  hint?: string
}

/** A secret that the daemon shows only once. */
export function SecretOnce({
  secret,
  what,
  hint = 'Copy it now: only its fingerprint is stored, so it cannot be shown again.',
}: SecretOnceProps) {
  return (
    <Alert color="ember" icon={<IconKey size={18} />} title={`Your ${what}`}>
      <Stack gap="xs">
        <Text size="sm">{hint}</Text>
        <Group gap="xs" wrap="nowrap">
          <code className="mono grow" data-testid="secret">
            {secret}
          </code>
          <CopyButton value={secret} what={what} large />
        </Group>
      </Stack>
    </Alert>
  )
}
