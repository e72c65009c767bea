import { Alert, Group, Stack } from '@mantine/core'
import { IconRefresh, IconWebhook } from '@tabler/icons-react'
import type { StartAction } from '../../../runtime/hooks/action-schema.ts'
import type { Incoming, IncomingAuth } from '../../../runtime/hooks/incoming.ts'
import type { Received } from '../../../runtime/hooks/received-store.ts'
import { usePages } from '../../api/query.ts'
import { ActionButton, SmallButton } from '../../parts/buttons.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { List } from '../../parts/list.tsx'
import { Panel } from '../../parts/page.tsx'
import { ResourcePage } from '../../parts/resource-page.tsx'
import type { Values } from '../../parts/schema/schema.ts'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { enabledStatus, useKindLabel, withHeader } from './labels.ts'
import { LogRow } from './log-row.tsx'
import { ActionPreview, LatestMessage, ReceivedDetails } from './messages.tsx'

const stale = ['/api/webhooks/incoming']

export function IncomingView({ id }: { id: string | undefined }) {
  const actionLabel = useKindLabel('/api/webhooks/incoming', 'action')
  const authLabel = useKindLabel('/api/webhooks/incoming', 'auth')
  const verified = ({ auth }: Incoming) => withHeader(authLabel(auth), auth)
  return (
    <ResourcePage
      path="/api/webhooks/incoming"
      items="webhooks"
      noun="address"
      title="Incoming webhooks"
      place="/hooks/incoming"
      id={id}
      icon={IconWebhook}
      empty="Other systems send messages to an address. Each message starts an agent, a workflow or a job."
      row={(webhook) => ({
        badges: <StatusBadge {...enabledStatus(webhook.enabled)} />,
        children: (
          <Hint>
            {verified(webhook)} → {actionLabel(webhook.action)} · {webhook.received} received
            {webhook.failed > 0 && `, ${webhook.failed} failed`}
          </Hint>
        ),
      })}
      detail={(webhook, { edit }) => (
        <IncomingDetails webhook={webhook} verified={verified(webhook)} edit={edit} />
      )}
      form={{
        start: { auth: { kind: 'github' } },
        fields: ({ auth }: Values) => ({ secret: (auth as IncomingAuth | undefined)?.kind !== 'none' }),
        layout: ['name', 'auth', 'secret', 'action'],
        effect: 'Its received messages are deleted too.',
        more: ({ action }: Values, webhook) =>
          action ? <Templates action={action as StartAction} webhook={webhook} /> : null,
      }}
    />
  )
}

/** What templates can use, with the latest message. */
const Templates = ({ action, webhook }: { action: StartAction; webhook: Incoming | null }) => (
  <>
    <Hint>
      Expressions can use body, headers, query and received_at. Agents treat values from messages as untrusted
      data.
    </Hint>
    {webhook && <ActionPreview webhook={webhook.id} action={action} />}
    {webhook && <LatestMessage webhook={webhook.id} />}
  </>
)

interface DetailsProps {
  webhook: Incoming
  /** How messages are verified. */
  verified: string
  edit: () => void
}

function IncomingDetails({ webhook, verified, edit }: DetailsProps) {
  const params = { id: webhook.id }
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
      <Panel title={webhook.name} action={<SmallButton onClick={edit}>Edit</SmallButton>}>
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
            Verified by: {verified}
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
