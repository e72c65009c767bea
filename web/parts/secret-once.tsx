import { Alert, Group, Stack, Text } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { CopyButton } from './copy-button.tsx'

/** A secret that the daemon shows only once. */
export function SecretOnce({ secret, what }: { secret: string; what: string }) {
  return (
    <Alert color="ember" variant="light" icon={<IconKey size={18} />} title={`Your ${what}`}>
      <Stack gap="xs">
        <Text size="sm">Copy it now: only its fingerprint is stored, so it cannot be shown again.</Text>
        <Group gap="xs" wrap="nowrap" align="center">
          <code className="mono grow" data-testid="secret">
            {secret}
          </code>
          <CopyButton value={secret} what={what} large />
        </Group>
      </Stack>
    </Alert>
  )
}
