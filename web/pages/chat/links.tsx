import { Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useEndpoint } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { DeleteButton } from '../../parts/confirm.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'

/** The links with which anyone reads a conversation. */
export function Links({ conversation }: { conversation: string }) {
  const [link, setLink] = useState<string | null>(null)
  const { data } = useEndpoint('/api/chat/links', { query: { limit: 200 } })
  const links = data?.links.filter(({ conversation_id }) => conversation_id === conversation) ?? []
  return (
    <Stack gap="xs">
      <Group justify="space-between" wrap="nowrap">
        <div>
          <Text size="sm" fw={500}>
            Read-only link
          </Text>
          <Hint>Whoever has it can read what was said, without an account, until you delete it.</Hint>
        </div>
        <ActionButton
          flex="none"
          run={(api) => api.post('/api/chat/links', { body: { conversation_id: conversation } })}
          done={({ secret }) => setLink(location.origin + secret)}
        >
          Create a link
        </ActionButton>
      </Group>
      {link && <SecretOnce secret={link} what="link" hint="Copy it now: it is not shown again." />}
      {links.map(({ id, created_at }) => (
        <Group key={id} justify="space-between">
          <Hint>
            Created <Time at={created_at} />
          </Hint>
          <DeleteButton what="this link" remove={(api) => api.delete('/api/chat/links/{id}', { params: { id } })} />
        </Group>
      ))}
    </Stack>
  )
}
