import { Alert, Group, Stack, Text } from '@mantine/core'
import { IconRefresh, IconSend, IconWebhook } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Delivery } from '../../../runtime/hooks/delivery-store.ts'
import type { Webhook } from '../../../runtime/hooks/webhooks.ts'
import { useEndpoint, useOptional, usePages } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { ActionButton, AddButton, LinkButton, SmallButton } from '../../parts/buttons.tsx'
import { ConfirmButton } from '../../parts/confirm.tsx'
import { EntityForm, inputsOf, required, useApiForm } from '../../parts/form.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { EmptyState, Found, List } from '../../parts/list.tsx'
import { Panel, Row } from '../../parts/page.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Time, When } from '../../parts/time.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { EventTypes, FilterField, fieldOf } from './fields.tsx'
import { enabledStatus } from './labels.ts'
import { LogRow } from './log-row.tsx'

const stale = ['/api/webhooks']

const secretOnce = {
  what: 'webhook secret',
  hint: 'Copy it now; it is not shown again. The receiver uses it to verify signatures.',
}

export const WebhooksView = ({ id }: { id: string | undefined }) =>
  id ? <OneWebhook id={id} /> : <AllWebhooks />

function AllWebhooks() {
  const query = usePages('/api/webhooks', {}, { size: 50 })
  const [isNew, setNew] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <Stack>
      {secret && <SecretOnce secret={secret} {...secretOnce} />}
      <Panel
        title="Outgoing webhooks"
        action={<AddButton onClick={() => setNew(true)}>New webhook</AddButton>}
      >
        <List
          query={query}
          what="Webhooks"
          items="webhooks"
          empty={
            <EmptyState icon={<IconWebhook size={28} />} title="No webhooks yet">
              A webhook sends signed events to another system (Standard Webhooks).
            </EmptyState>
          }
        >
          {(webhook) => (
            <Row
              key={webhook.id}
              name={webhook.name}
              badges={<StatusBadge {...enabledStatus(webhook.enabled)} />}
              actions={<LinkButton href={`/hooks/outgoing/${webhook.id}`}>Open</LinkButton>}
            >
              <Hint>
                {webhook.events.join(', ')} → {webhook.url}
                {webhook.pending > 0 && ` · ${webhook.pending} pending`}
                {webhook.failed > 0 && ` · ${webhook.failed} failed`}
              </Hint>
            </Row>
          )}
        </List>
        {isNew && <WebhookDrawer webhook={null} close={() => setNew(false)} created={setSecret} />}
      </Panel>
    </Stack>
  )
}

function OneWebhook({ id }: { id: string }) {
  const query = useOptional('/api/webhooks/{id}', { params: { id } })
  return (
    <Stack>
      <TextLink href="/hooks/outgoing">← Outgoing webhooks</TextLink>
      <Found query={query} what="This webhook" icon={<IconWebhook />}>
        {(webhook) => <WebhookDetails webhook={webhook} />}
      </Found>
    </Stack>
  )
}

function WebhookDetails({ webhook }: { webhook: Webhook }) {
  const params = { id: webhook.id }
  const [edited, setEdited] = useState(false)
  const test = useChange((api) => api.post('/api/webhooks/{id}/test', { params }), { stale })
  const rotate = useChange((api) => api.post('/api/webhooks/{id}/rotate-secret', { params, body: {} }), {
    stale,
  })
  const query = usePages('/api/webhooks/{id}/deliveries', { params }, { size: 20 })
  return (
    <>
      {rotate.data && <SecretOnce secret={rotate.data.secret} {...secretOnce} />}
      <Panel title={webhook.name} action={<SmallButton onClick={() => setEdited(true)}>Edit</SmallButton>}>
        <Stack gap="xs" px="md" pb="md">
          <div>
            <StatusBadge {...enabledStatus(webhook.enabled)} />
          </div>
          {webhook.disabled_reason && <Alert color="red">{webhook.disabled_reason}</Alert>}
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {webhook.events.join(', ')} → {webhook.url}
          </Text>
          {webhook.filter && <Hint>Filter: {webhook.filter}</Hint>}
          <Hint>
            Secret {webhook.secret.hint}
            {webhook.old_secret_until && (
              <>
                . Deliveries are signed with the old one too, which ends{' '}
                <Time at={webhook.old_secret_until} />
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
        </Stack>
      </Panel>
      <Panel title="Deliveries">
        <List query={query} what="Deliveries" items="deliveries" empty="No deliveries yet.">
          {(delivery) => <DeliveryRow key={delivery.id} delivery={delivery} />}
        </List>
      </Panel>
      {edited && <WebhookDrawer webhook={webhook} close={() => setEdited(false)} created={() => undefined} />}
    </>
  )
}

function DeliveryRow({ delivery }: { delivery: Delivery }) {
  const { id, webhook_id, event_type, status, last_attempt, next_attempt_at, created_at, attempt } = delivery
  const params = { id: webhook_id, delivery_id: id }
  const redeliver = useChange(
    (api) => api.post('/api/webhooks/{id}/deliveries/{delivery_id}/redeliver', { params }),
    { stale },
  )
  return (
    <LogRow
      name={event_type}
      status={status}
      details={() => <DeliveryDetails {...params} />}
      actions={status !== 'pending' && <ActionButton run={redeliver}>Send again</ActionButton>}
    >
      <Time at={created_at} />
      {last_attempt && ` · ${last_attempt.error ?? `Response ${last_attempt.response_status}`}`}
      {attempt > 1 && ` · ${attempt} attempts`}
      {attempt > 0 && <When label="next" at={next_attempt_at} />}
    </LogRow>
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

interface DrawerProps {
  webhook: Webhook | null
  close: () => void
  created: (secret: string) => void
}

const WebhookDrawer = ({ webhook, close, created }: DrawerProps) => (
  <FormDrawer title={webhook ? `Edit ${webhook.name}` : 'New webhook'} close={close}>
    {({ leave }) => <WebhookForm webhook={webhook} close={leave} created={created} />}
  </FormDrawer>
)

function WebhookForm({ webhook, close, created }: DrawerProps) {
  const api = useApi()
  const [, navigate] = useLocation()
  const form = useApiForm({
    initial: {
      name: webhook?.name ?? '',
      url: webhook?.url ?? '',
      events: webhook?.events ?? [],
      filter: webhook?.filter ?? '',
      ordered: webhook?.ordered ?? false,
      enabled: webhook?.enabled ?? true,
    },
    async save(body, changes) {
      if (webhook) await api.put('/api/webhooks/{id}', { params: { id: webhook.id }, body: changes })
      else created((await api.post('/api/webhooks', { body })).secret)
    },
    stale,
    fieldOf,
    saved: close,
  })
  const remove = useChange(
    (current) => current.delete('/api/webhooks/{id}', { params: { id: webhook?.id ?? '' } }),
    {
      stale,
      done() {
        announce(`${webhook?.name} was deleted`)
        close()
        navigate('/hooks/outgoing')
      },
    },
  )
  const { text, toggle } = inputsOf(form)
  return (
    <EntityForm
      form={form}
      verb={webhook ? 'Save' : 'Create webhook'}
      close={close}
      remove={
        webhook
          ? { name: webhook.name, what: 'webhook', effect: 'Its deliveries are deleted too.', run: remove }
          : false
      }
    >
      {text('name', 'Name', required)}
      {text('url', 'URL', {
        ...required,
        description: 'Private addresses must be listed in the daemon’s SERVICE_OUTBOUND_ALLOWLIST',
      })}
      <EventTypes input={form.getInputProps('events')} />
      <FilterField input={form.getInputProps('filter')} />
      {toggle('ordered', 'Deliver in order', { description: 'Each delivery waits for the previous one' })}
      {toggle('enabled', 'Enabled')}
    </EntityForm>
  )
}
