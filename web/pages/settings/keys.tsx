import { Badge, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useState } from 'react'
import type { Scope } from '../../../runtime/auth/caller.ts'
import type { IssuedKey, KeyEntry } from '../../../runtime/auth/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { AddButton, DangerButton, SmallButton } from '../../parts/buttons.tsx'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EntityForm, inputsOf, required, useApiForm } from '../../parts/form.tsx'
import { EmptyState, List } from '../../parts/list.tsx'
import { Panel, Row } from '../../parts/page.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { Time, When } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'

const stale = ['/api/auth/keys']

export function Keys() {
  const query = useEndpoint('/api/auth/keys')
  const [creating, setCreating] = useState(false)
  const [issued, setIssued] = useState<IssuedKey | null>(null)
  const create = <AddButton onClick={() => setCreating(true)}>New key</AddButton>
  const empty = (
    <EmptyState icon={<IconKey />} title="No API keys yet" action={create}>
      Scripts and other programs sign in with a key.
    </EmptyState>
  )
  return (
    <Stack>
      {issued && <SecretOnce secret={issued.key} what={`key “${issued.name}”`} />}
      <Panel title="API keys" count={query.data?.count} action={create}>
        <List query={query} what="API keys" items="keys" empty={empty}>
          {(key) => <KeyRow key={key.id} entry={key} setIssued={setIssued} />}
        </List>
      </Panel>
      <Modal opened={creating} onClose={() => setCreating(false)} title="New API key">
        <NewKeyForm close={() => setCreating(false)} setIssued={setIssued} />
      </Modal>
    </Stack>
  )
}

interface KeyRowProps {
  entry: KeyEntry
  /** Receives a new key, or null after a revocation. */
  setIssued: (key: IssuedKey | null) => void
}

function KeyRow({ entry: { id, name, scopes, description, ...entry }, setIssued }: KeyRowProps) {
  const rotate = useChange((api) => api.post('/api/auth/keys/{id}/rotate', { params: { id } }), {
    stale,
    done: setIssued,
  })
  const revoke = useChange((api) => api.delete('/api/auth/keys/{id}', { params: { id } }), {
    stale,
    done() {
      setIssued(null)
      announce(`${name} was revoked`)
    },
  })
  const effect = 'Programs that use this key lose access immediately'
  const asked = { name, what: 'key' }
  return (
    <Row
      name={name}
      badges={scopes.map((scope) => (
        <Badge key={scope} variant="default">
          {scope}
        </Badge>
      ))}
      actions={
        <>
          <ConfirmByName
            {...asked}
            verb="Rotate"
            run={rotate}
            effect={`${effect} until they use the new one.`}
          >
            {(ask) => <SmallButton onClick={ask}>Rotate</SmallButton>}
          </ConfirmByName>
          <ConfirmByName {...asked} verb="Revoke" run={revoke} effect={`${effect}.`}>
            {(ask) => <DangerButton onClick={ask}>Revoke</DangerButton>}
          </ConfirmByName>
        </>
      }
    >
      {description && (
        <Text size="sm" c="dimmed">
          {description}
        </Text>
      )}
      <Group gap={4} wrap="nowrap">
        <Hint>
          <span className="mono">{entry.prefix}…</span> · created <Time at={entry.created_at} />
          <When label="used" at={entry.last_used_at} otherwise=" · never used" />
          <When label="expires" at={entry.expires_at} />
        </Hint>
        <CopyButton value={id} what="key ID" />
      </Group>
    </Row>
  )
}

const scopes: { value: Scope; label: string; description: string }[] = [
  { value: 'read', label: 'Read', description: 'Read everything' },
  { value: 'write', label: 'Write', description: 'Chat, create and change' },
  { value: 'approve', label: 'Approve', description: 'Answer approval requests only' },
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

function NewKeyForm({ close, setIssued }: { close: () => void; setIssued: KeyRowProps['setIssued'] }) {
  const api = useApi()
  const form = useApiForm({
    initial: { name: '', description: '', scopes: ['read', 'write'] as Scope[], days: '' },
    save({ days, ...body }) {
      const expires_at = days ? new Date(Date.now() + Number(days) * day).toISOString() : null
      return api.post('/api/auth/keys', { body: { ...body, expires_at } })
    },
    stale,
    saved(key) {
      setIssued(key)
      close()
    },
    fieldOf: (path) => (path === 'expires_at' ? 'days' : path),
  })
  const { text, select } = inputsOf(form)
  return (
    <EntityForm form={form} verb="Create" close={close} disabled={form.values.scopes.length === 0}>
      {text('name', 'Name', { ...required, maxLength: 100 })}
      {text('description', 'Description', { maxLength: 1_000 })}
      <Checkbox.Group label="Scopes" {...form.getInputProps('scopes')}>
        <Stack gap="xs" mt={6}>
          {scopes.map((scope) => (
            <Checkbox key={scope.value} {...scope} />
          ))}
        </Stack>
      </Checkbox.Group>
      {select('days', 'Expires', lifetimes)}
    </EntityForm>
  )
}
