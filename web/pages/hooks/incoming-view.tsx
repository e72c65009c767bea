import { Alert, Group, Stack } from '@mantine/core'
import { IconRefresh, IconWebhook } from '@tabler/icons-react'
import { useState } from 'react'
import type { Incoming } from '../../../runtime/hooks/incoming.ts'
import type { Received } from '../../../runtime/hooks/received-store.ts'
import { useOptional, usePages } from '../../api/query.ts'
import { ActionButton, AddButton, LinkButton, SmallButton } from '../../parts/buttons.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, Found, List } from '../../parts/list.tsx'
import { Panel, Row } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { actionLabels, authLabel, enabledStatus } from './labels.ts'
import { LogRow } from './log-row.tsx'
import { ActionPreview, ReceivedDetails } from './messages.tsx'

const IncomingDrawer = lazily(() => import('./incoming-form.tsx'), 'IncomingDrawer')

const stale = ['/api/webhooks/incoming']

export const IncomingView = ({ id }: { id: string | undefined }) =>
  id ? <OneIncoming id={id} /> : <AllIncoming />

function AllIncoming() {
  const query = usePages('/api/webhooks/incoming', {}, { size: 50 })
  const [isNew, setNew] = useState(false)
  return (
    <Panel title="Incoming webhooks" action={<AddButton onClick={() => setNew(true)}>New address</AddButton>}>
      <List
        query={query}
        what="Incoming webhooks"
        items="webhooks"
        empty={
          <EmptyState icon={<IconWebhook size={28} />} title="No addresses yet">
            Other systems send messages to an address. Each message starts an agent, a workflow or a job.
          </EmptyState>
        }
      >
        {(webhook) => (
          <Row
            key={webhook.id}
            name={webhook.name}
            badges={<StatusBadge {...enabledStatus(webhook.enabled)} />}
            actions={<LinkButton href={`/hooks/incoming/${webhook.id}`}>Open</LinkButton>}
          >
            <Hint>
              {authLabel(webhook.auth)} → {actionLabels[webhook.action?.kind ?? 'none']} · {webhook.received}{' '}
              received
              {webhook.failed > 0 && `, ${webhook.failed} failed`}
            </Hint>
          </Row>
        )}
      </List>
      {isNew && <IncomingDrawer webhook={null} close={() => setNew(false)} />}
    </Panel>
  )
}

function OneIncoming({ id }: { id: string }) {
  const query = useOptional('/api/webhooks/incoming/{id}', { params: { id } })
  return (
    <Stack>
      <TextLink href="/hooks/incoming">← Incoming webhooks</TextLink>
      <Found query={query} what="This address" icon={<IconWebhook />}>
        {(webhook) => <IncomingDetails webhook={webhook} />}
      </Found>
    </Stack>
  )
}

function IncomingDetails({ webhook }: { webhook: Incoming }) {
  const params = { id: webhook.id }
  const [edited, setEdited] = useState(false)
  const capturing = webhook.capture_until !== null && Date.parse(webhook.capture_until) > Date.now()
  const capture = useChange(
    (api) =>
      api.post('/api/webhooks/incoming/{id}/capture', { params, body: { minutes: capturing ? 0 : 30 } }),
    { stale },
  )
  const query = usePages('/api/webhooks/incoming/{id}/deliveries', { params }, { size: 20 })
  const address = webhook.url ?? `${location.origin}${webhook.path}`
  return (
    <>
      <Panel title={webhook.name} action={<SmallButton onClick={() => setEdited(true)}>Edit</SmallButton>}>
        <Stack gap="xs" px="md" pb="md">
          <div>
            <StatusBadge {...enabledStatus(webhook.enabled)} />
          </div>
          <Group gap="xs" wrap="nowrap">
            <code className="mono grow" style={{ overflowWrap: 'anywhere' }}>
              {address}
            </code>
            <CopyButton value={address} what="address" large />
          </Group>
          {!webhook.url && (
            <Hint>
              This is the address that you opened this page with. If the sender cannot reach it,{' '}
              <TextLink href="/channels/settings">set the public address</TextLink>.
            </Hint>
          )}
          <Hint>
            Verified by: {authLabel(webhook.auth)}
            {webhook.secret && `, secret ${webhook.secret.hint}`}. At most {webhook.rate_limit} messages per
            minute.
          </Hint>
          {capturing && webhook.capture_until && (
            <Alert color="yellow" title="Capturing messages">
              They are recorded and start nothing. Capturing ends <Time at={webhook.capture_until} />
            </Alert>
          )}
          <div>
            <ActionButton run={capture}>
              {capturing ? 'Stop capturing' : 'Capture for 30 minutes'}
            </ActionButton>
          </div>
          {webhook.action && <ActionPreview webhook={webhook.id} action={webhook.action} />}
        </Stack>
      </Panel>
      <Panel title="Received">
        <List query={query} what="Messages" items="deliveries" empty="No messages yet.">
          {(received) => (
            <ReceivedRow key={received.id} received={received} canReplay={webhook.action !== null} />
          )}
        </List>
      </Panel>
      {edited && <IncomingDrawer webhook={webhook} close={() => setEdited(false)} />}
    </>
  )
}

function ReceivedRow({ received, canReplay }: { received: Received; canReplay: boolean }) {
  const { id, webhook_id, status, error, received_at } = received
  const params = { id: webhook_id, delivery_id: id }
  const replay = useChange(
    (api) => api.post('/api/webhooks/incoming/{id}/deliveries/{delivery_id}/replay', { params }),
    { stale },
  )
  return (
    <LogRow
      name="Message"
      label={`Message ${id}`}
      status={status}
      details={() => <ReceivedDetails {...params} />}
      actions={
        canReplay &&
        status !== 'pending' && (
          <ActionButton icon={IconRefresh} run={replay}>
            Replay
          </ActionButton>
        )
      }
    >
      <Time at={received_at} /> {error}
    </LogRow>
  )
}
