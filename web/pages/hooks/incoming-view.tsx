import { Alert, Group, Stack } from '@mantine/core'
import { IconRefresh, IconWebhook } from '@tabler/icons-react'
import type { StartAction } from '../../../runtime/hooks/action-schema.ts'
import type { Incoming, IncomingAuth } from '../../../runtime/hooks/incoming.ts'
import { useEndpoint } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { SmallButton } from '../../parts/buttons.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Panel } from '../../parts/page.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { ResourcePage } from '../../parts/resource-page.tsx'
import type { Values } from '../../parts/schema/schema.ts'
import { useLabels } from '../../parts/schema/use-body-schema.ts'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { enabledStatus, endOf, withHeader } from './labels.ts'

const path = '/api/webhooks/incoming'

export function IncomingView({ id }: { id: string | undefined }) {
  const actionLabel = useLabels(path, 'action')
  const authLabel = useLabels(path, 'auth')
  const verified = ({ auth }: Incoming) => withHeader(authLabel(auth.kind), auth)
  return (
    <ResourcePage
      path={path}
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
            {verified(webhook)} → {actionLabel(webhook.action?.kind)} · {webhook.received} received
            {webhook.failed > 0 && `, ${webhook.failed} failed`}
          </Hint>
        ),
      })}
      detail={(webhook, edit) => <IncomingDetails webhook={webhook} verified={verified(webhook)} edit={edit} />}
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
      Expressions can use body, headers, query and received_at. Agents treat values from messages as untrusted data.
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
  const address = webhook.url ?? `${location.origin}${webhook.path}`
  return (
    <>
      <Panel title={webhook.name} action={<SmallButton onClick={edit}>Edit</SmallButton>} gap="xs">
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
          {webhook.secret && `, secret ${webhook.secret.hint}`}. At most {webhook.rate_limit} messages per minute.
        </Hint>
        {capturing && webhook.capture_until && (
          <Alert color="yellow" title="Capturing messages">
            They are recorded and start nothing. Capturing ends <Time at={webhook.capture_until} />
          </Alert>
        )}
        <div>
          <ActionButton
            run={(api) => api.post(`${path}/{id}/capture`, { params, body: { minutes: capturing ? 0 : 30 } })}
          >
            {capturing ? 'Stop capturing' : 'Capture for 30 minutes'}
          </ActionButton>
        </div>
        {webhook.action && <ActionPreview webhook={webhook.id} action={webhook.action} />}
      </Panel>
      <ResourceList
        path={`${path}/{id}/deliveries`}
        params={params}
        items="deliveries"
        title="Received"
        size={20}
        empty="No messages yet."
        row={({ id, status, error, received_at }) => ({
          name: 'Message',
          label: `Message ${id}`,
          badges: <StatusBadge {...endOf(status)} />,
          children: (
            <Hint>
              <Time at={received_at} /> {error}
            </Hint>
          ),
          details: () => <ReceivedDetails id={webhook.id} delivery_id={id} />,
          actions: webhook.action !== null && status !== 'pending' && (
            <ActionButton
              icon={IconRefresh}
              run={(api) =>
                api.post(`${path}/{id}/deliveries/{delivery_id}/replay`, {
                  params: { id: webhook.id, delivery_id: id },
                })
              }
            >
              Replay
            </ActionButton>
          ),
        })}
      />
    </>
  )
}

/** The action with its templates rendered from the latest message. */
function ActionPreview({ webhook, action }: { webhook: string; action: StartAction }) {
  const preview = useChange((api) =>
    api.post('/api/webhooks/incoming/{id}/preview', { params: { id: webhook }, body: { action } }),
  )
  return (
    <Stack gap="xs">
      <div>
        <ActionButton run={preview}>Preview with latest message</ActionButton>
      </div>
      {preview.data?.error && <Alert color="red">{preview.data.error}</Alert>}
      {preview.data?.action && <JsonView label="Action" value={preview.data.action} />}
    </Stack>
  )
}

/** The data of the latest message, for writing a template. */
function LatestMessage({ webhook }: { webhook: string }) {
  const input = { params: { id: webhook }, query: { limit: 1 } }
  const { data } = useEndpoint('/api/webhooks/incoming/{id}/deliveries', input)
  if (!data) return null
  const [latest] = data.deliveries
  if (!latest) return <Hint>No message has been received yet. The latest one will be shown here.</Hint>
  return (
    <Stack gap="xs">
      <Hint>The latest message:</Hint>
      <ReceivedDetails id={webhook} delivery_id={latest.id} />
    </Stack>
  )
}

function ReceivedDetails(params: { id: string; delivery_id: string }) {
  const { data } = useEndpoint('/api/webhooks/incoming/{id}/deliveries/{delivery_id}', { params })
  if (!data) return null
  return (
    <Stack gap="xs">
      {data.result && <JsonView label="Started" value={data.result} />}
      <JsonView label="Body" value={data.message.body} />
      <JsonView label="Headers" value={data.message.headers} />
    </Stack>
  )
}
