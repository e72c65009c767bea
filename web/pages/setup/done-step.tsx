import { Anchor, Button, Code, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { SecretOnce } from '../../parts/secret-once.tsx'

export function DoneStep({ firstKey }: { firstKey: string | null }) {
  return (
    <Stack>
      {firstKey ? (
        <>
          <SecretOnce secret={firstKey} what="API key" />
          <Text size="sm" c="dimmed">
            Try it:
          </Text>
          <Code block>{`curl -H "Authorization: Bearer $KEY" ${location.origin}/api/agents`}</Code>
        </>
      ) : (
        <Text size="sm">
          The first API key was shown once and is not stored. You can make another under{' '}
          <Anchor component={Link} href="/settings/keys">
            Settings → API keys
          </Anchor>
          .
        </Text>
      )}
      <Button component={Link} href="/" size="md">
        Open hearthd
      </Button>
    </Stack>
  )
}
