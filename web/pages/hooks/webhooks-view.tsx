import { Alert, Group, Stack, Text } from '@mantine/core'
import { IconRefresh, IconSend, IconWebhook } from '@tabler/icons-react'
import type { Webhook } from '../../../runtime/hooks/webhooks.ts'
import { useEndpoint } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { SmallButton } from '../../parts/buttons.tsx'
import { ConfirmButton } from '../../parts/confirm.tsx'
import { eventName } from '../../parts/events.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { Panel } from '../../parts/page.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { ResourcePage } from '../../parts/resource-page.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Time, When } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { enabledStatus, endOf } from './labels.ts'

const secretOnce = {
  what: 'webhook secret',
  hint: 'Copy it now; it is not shown again. The receiver uses it to verify signatures.',
}

export const WebhooksView = ({ id }: { id: string | undefined }) => (
  <ResourcePage
    path="/api/webhooks"
    items="webhooks"
    noun="webhook"
    title="Outgoing webhooks"
    place="/hooks/outgoing"
    id={id}
    icon={IconWebhook}
    empty="A webhook sends signed events to another system (Standard Webhooks)."
    secretHint={secretOnce.hint}
    row={(webhook) => ({
      badges: <StatusBadge {...enabledStatus(webhook.enabled)} />,
      children: (
        <Hint>
          {webhook.events.map(eventName).join(', ')} → {webhook.url}
          {webhook.pending > 0 && ` · ${webhook.pending} pending`}
          {webhook.failed > 0 && ` · ${webhook.failed} failed`}
        </Hint>
      ),
    })}
    detail={(webhook, edit) => <WebhookDetails webhook={webhook} edit={edit} />}
    form={{ fields: { secret: false }, effect: 'Its deliveries are deleted too.' }}
  />
)

function WebhookDetails({ webhook, edit }: { webhook: Webhook; edit: () => void }) {
  const params = { id: webhook.id }
  const test = useChange((api) => api.post('/api/webhooks/{id}/test', { params }))
  const rotate = useChange((api) => api.post('/api/webhooks/{id}/rotate-secret', { params, body: {} }))
  return (
    <>
      {rotate.data && <SecretOnce secret={rotate.data.secret} {...secretOnce} />}
      <Panel title={webhook.name} action={<SmallButton onClick={edit}>Edit</SmallButton>} gap="xs">
        <div>
          <StatusBadge {...enabledStatus(webhook.enabled)} />
        </div>
        {webhook.disabled_reason && <Alert color="red">{webhook.disabled_reason}</Alert>}
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {webhook.events.map(eventName).join(', ')} → {webhook.url}
        </Text>
        {webhook.filter && <Hint>Filter: {webhook.filter}</Hint>}
        <Hint>
          Secret {webhook.secret.hint}
          {webhook.old_secret_until && (
            <>
              . Deliveries are signed with the old one too, which ends <Time at={webhook.old_secret_until} />
            </>
          )}
        </Hint>
        <Group gap="xs">
          <ActionButton icon={IconSend} run={test}>
            Send test event
          </ActionButton>
          <ConfirmButton
            question="Replace the secret? Deliveries are signed with both secrets for 24 hours."
            verb="Replace secret"
            icon={IconRefresh}
            run={rotate}
          >
            Replace secret
          </ConfirmButton>
        </Group>
        {test.data && <JsonView label="Response to the test" value={test.data.attempts.at(-1)} />}
      </Panel>
      <ResourceList
        path="/api/webhooks/{id}/deliveries"
        params={params}
        items="deliveries"
        title="Deliveries"
        size={20}
        empty="No deliveries yet."
        row={({ id, event_type, status, last_attempt, next_attempt_at, created_at, attempt }) => ({
          name: event_type,
          badges: <StatusBadge {...endOf(status)} />,
          children: (
            <Hint>
              <Time at={created_at} />
              {last_attempt && ` · ${last_attempt.error ?? `Response ${last_attempt.response_status}`}`}
              {attempt > 1 && ` · ${attempt} attempts`}
              {attempt > 0 && <When label="next" at={next_attempt_at} />}
            </Hint>
          ),
          details: () => <DeliveryDetails id={webhook.id} delivery_id={id} />,
          actions: status !== 'pending' && (
            <ActionButton
              run={(api) =>
                api.post('/api/webhooks/{id}/deliveries/{delivery_id}/redeliver', {
                  params: { id: webhook.id, delivery_id: id },
                })
              }
            >
              Send again
            </ActionButton>
          ),
        })}
      />
    </>
  )
}

function DeliveryDetails(params: { id: string; delivery_id: string }) {
  const { data } = useEndpoint('/api/webhooks/{id}/deliveries/{delivery_id}', { params })
  if (!data) return null
  return (
    <Stack gap="xs">
      <JsonView label="Payload" value={data.payload} />
      <JsonView label="Attempts" value={data.attempts} />
    </Stack>
  )
}
