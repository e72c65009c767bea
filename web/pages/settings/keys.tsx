import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type IssuedKey, type KeyEntry, keysQuery } from '../../api/auth.ts'
import { refresh } from '../../api/live.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Panel } from '../../parts/panel.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { NewKey } from './new-key.tsx'

type Asked = { key: KeyEntry; act: 'rotate' | 'revoke' } | null

export function Keys() {
  const query = useQuery(keysQuery(useApi()))
  const [creating, setCreating] = useState(false)
  const [issued, setIssued] = useState<IssuedKey | null>(null)
  const [asked, setAsked] = useState<Asked>(null)
  const act = useKeyActions(setIssued, () => setAsked(null))
  const create = (
    <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setCreating(true)}>
      New key
    </Button>
  )
  return (
    <Stack>
      {issued && <SecretOnce secret={issued.key} what={`key “${issued.name}”`} />}
      <Panel title="API keys" count={query.data?.count} action={create}>
        <Loaded query={query} what="API keys">
          {({ keys }) =>
            keys.length === 0 ? (
              <EmptyState icon={<IconKey />} title="No keys" action={create}>
                Scripts and other programs sign in with a key.
              </EmptyState>
            ) : (
              keys.map((key) => (
                <KeyRow key={key.id} entry={key} ask={(verb) => setAsked({ key, act: verb })} />
              ))
            )
          }
        </Loaded>
      </Panel>
      <NewKey opened={creating} close={() => setCreating(false)} done={setIssued} />
      <ConfirmByName
        name={asked?.key.name ?? null}
        what="key"
        verb={asked?.act === 'rotate' ? 'Rotate' : 'Revoke'}
        pending={act.isPending}
        confirm={() => act.mutate(asked)}
        close={() => setAsked(null)}
      >
        Programs that use it are refused at once
        {asked?.act === 'rotate' ? ' until they have the new one.' : '.'}
      </ConfirmByName>
    </Stack>
  )
}

function useKeyActions(issued: (key: IssuedKey | null) => void, done: () => void) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (asked: Asked) => {
      if (!asked) return null
      const params = { id: asked.key.id }
      if (asked.act === 'rotate') return api.post('/api/auth/keys/{id}/rotate', { params })
      await api.delete('/api/auth/keys/{id}', { params })
      announce(`${asked.key.name} is revoked`)
      return null
    },
    onSuccess: issued,
    onSettled() {
      done()
      return refresh(queries, '/api/auth/keys')
    },
  })
}

function KeyRow({ entry, ask }: { entry: KeyEntry; ask: (act: 'rotate' | 'revoke') => void }) {
  return (
    <article className="row" style={{ flexWrap: 'wrap' }} aria-label={entry.name}>
      <div className="grow" style={{ flexBasis: '16rem' }}>
        <Group gap={6}>
          <Text fw={500}>{entry.name}</Text>
          {entry.scopes.map((scope) => (
            <Badge key={scope} size="sm" variant="default">
              {scope}
            </Badge>
          ))}
        </Group>
        {entry.description && (
          <Text size="sm" c="dimmed">
            {entry.description}
          </Text>
        )}
        <Group gap={4}>
          <Text size="xs" c="dimmed" component="div">
            <span className="mono">{entry.prefix}…</span> · made <Time at={entry.created_at} /> ·{' '}
            {entry.last_used_at ? (
              <>
                used <Time at={entry.last_used_at} />
              </>
            ) : (
              'never used'
            )}
            {entry.expires_at && (
              <>
                {' '}
                · expires <Time at={entry.expires_at} />
              </>
            )}
          </Text>
          <CopyButton value={entry.id} what="key id" />
        </Group>
      </div>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={() => ask('rotate')}>
          Rotate
        </Button>
        <Button size="xs" variant="default" c="var(--mantine-color-error)" onClick={() => ask('revoke')}>
          Revoke
        </Button>
      </Group>
    </article>
  )
}
