import { Badge, Button, Checkbox, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Scope } from '../../../runtime/auth/caller.ts'
import type { IssuedKey, KeyEntry } from '../../../runtime/auth/schema.ts'
import { useEndpoint, useRefresh } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { FormProblem, useApiForm } from '../../parts/form.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Panel } from '../../parts/panel.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'

type Asked = { key: KeyEntry; act: 'rotate' | 'revoke' } | null

export function Keys() {
  const query = useEndpoint('/api/auth/keys')
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
        Programs that use it lose access immediately
        {asked?.act === 'rotate' ? ' until they use the new one.' : '.'}
      </ConfirmByName>
    </Stack>
  )
}

function useKeyActions(issued: (key: IssuedKey | null) => void, done: () => void) {
  const api = useApi()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: async (asked: Asked) => {
      if (!asked) return null
      const params = { id: asked.key.id }
      if (asked.act === 'rotate') return api.post('/api/auth/keys/{id}/rotate', { params })
      await api.delete('/api/auth/keys/{id}', { params })
      announce(`${asked.key.name} was revoked`)
      return null
    },
    onSuccess: issued,
    onSettled() {
      done()
      return refresh('/api/auth/keys')
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
            <span className="mono">{entry.prefix}…</span> · created <Time at={entry.created_at} /> ·{' '}
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

interface NewKeyProps {
  opened: boolean
  close: () => void
  done: (key: IssuedKey) => void
}

const scopes: { value: Scope; label: string; description: string }[] = [
  { value: 'read', label: 'Read', description: 'See everything' },
  { value: 'write', label: 'Write', description: 'Chat, create and change' },
  { value: 'approve', label: 'Approve', description: 'Answer approvals only' },
  { value: 'admin', label: 'Admin', description: 'Everything, including keys and users' },
]

const day = 24 * 60 * 60 * 1000
const lifetimes = [
  { value: '', label: 'Never' },
  { value: '1', label: 'In a day' },
  { value: '7', label: 'In a week' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]

function NewKey({ opened, close, done }: NewKeyProps) {
  return (
    <Modal opened={opened} onClose={close} title="New API key">
      <NewKeyForm {...{ close, done }} />
    </Modal>
  )
}

function NewKeyForm({ close, done }: Omit<NewKeyProps, 'opened'>) {
  const api = useApi()
  const refresh = useRefresh()
  const form = useApiForm({
    initial: { name: '', description: '', scopes: ['read', 'write'] as Scope[], days: '' },
    save({ days, ...body }) {
      const expires_at = days ? new Date(Date.now() + Number(days) * day).toISOString() : null
      return api.post('/api/auth/keys', { body: { ...body, expires_at } })
    },
    async saved(key) {
      await refresh('/api/auth/keys')
      done(key)
      close()
    },
    fieldOf: (path) => (path === 'expires_at' ? 'days' : path),
  })
  return (
    <Stack component="form" onSubmit={form.submit}>
      <FormProblem form={form} />
      <TextInput
        data-autofocus
        label="Name"
        required
        withAsterisk={false}
        maxLength={100}
        {...form.getInputProps('name')}
      />
      <TextInput label="Description" maxLength={1_000} {...form.getInputProps('description')} />
      <Checkbox.Group label="Scopes" {...form.getInputProps('scopes')}>
        <Stack gap="xs" mt={6}>
          {scopes.map((scope) => (
            <Checkbox key={scope.value} {...scope} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Select label="Expires" data={lifetimes} allowDeselect={false} {...form.getInputProps('days')} />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" loading={form.sending} disabled={form.values.scopes.length === 0}>
          Create
        </Button>
      </Group>
    </Stack>
  )
}
