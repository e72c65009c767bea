import { Alert, List as BulletList, Code, Group, Stack } from '@mantine/core'
import { IconMessages, IconPlug, IconPlugOff, IconSend, IconStethoscope } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Channel, ChannelTest, PlatformInfo } from '../../../runtime/channels/schema.ts'
import { useEndpoint, useOptional } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { ActionButton } from '../../parts/action-button.tsx'
import { announce } from '../../parts/announce.ts'
import { DangerButton } from '../../parts/buttons.tsx'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EntityForm, useApiForm } from '../../parts/form.tsx'
import { Found } from '../../parts/list.tsx'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { PageHeader, Panel } from '../../parts/page.tsx'
import { EndpointForm } from '../../parts/resource-form.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { SchemaForm } from '../../parts/schema/schema-form.tsx'
import { Facts, StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { Bindings } from './bindings.tsx'
import { CredentialFields, changedCredentials } from './credentials.tsx'
import { channelStatus, directions, outcomeOf } from './labels.ts'
import { Pairings } from './pairings.tsx'

const stale = ['/api/channels']

/** `/channels/<id>`: setup, status, access, bindings and log of one channel. */
export function ChannelPage({ id }: { id: string }) {
  const channel = useOptional('/api/channels/{id}', { params: { id } })
  const platforms = useEndpoint('/api/channels/platforms').data?.platforms
  return (
    <div className="page">
      <Found query={channel} what="This channel" icon={<IconMessages size={28} />}>
        {(found) => {
          const platform = platforms?.find(({ name }) => name === found.platform)
          return (
            <>
              <Header channel={found} />
              <Stack gap="lg">
                <StatusPanel channel={found} />
                {platform && <SetUp channel={found} platform={platform} />}
                <Pairings title="People" channel={id} />
                <Rules channel={found} />
                <Bindings channel={id} />
                <Log id={id} />
              </Stack>
            </>
          )
        }}
      </Found>
    </div>
  )
}

function Header({ channel: { id, name } }: { channel: Channel }) {
  const [, navigate] = useLocation()
  return (
    <PageHeader title={name} description={<TextLink href="/channels">All channels</TextLink>}>
      <ConfirmByName
        name={name}
        what="channel"
        effect="Its credentials, bindings and pairings are deleted. Its conversations are kept."
        run={(api) => api.delete('/api/channels/{id}', { params: { id } })}
        done={() => navigate('/channels')}
      >
        {(ask) => <DangerButton onClick={ask}>Delete</DangerButton>}
      </ConfirmByName>
    </PageHeader>
  )
}

function StatusPanel({ channel }: { channel: Channel }) {
  const { enabled, status, missing, last_error, last_inbound_at, last_outbound_at, owner_paired } = channel
  const params = { id: channel.id }
  const [result, setResult] = useState<ChannelTest | null>(null)
  const isReady = missing.length === 0
  return (
    <Panel title="Status" action={<StatusBadge {...channelStatus(status)} />} gap="sm">
      <Facts
        facts={[
          ['Last message received', last_inbound_at ? <Time key="in" at={last_inbound_at} /> : 'None yet'],
          ['Last message sent', last_outbound_at ? <Time key="out" at={last_outbound_at} /> : 'None yet'],
          ['You', owner_paired ? 'Paired' : 'Not paired: send the bot a message, then choose “This is me” below'],
        ]}
      />
      {last_error && (
        <Alert color="red" title="The last attempt failed" role="status">
          {last_error}
        </Alert>
      )}
      {result && (
        <Alert color={result.ok ? 'teal' : 'red'} title={result.ok ? 'It works' : 'It does not work'} role="status">
          <div>Sending: {result.sending.detail}</div>
          <div>Receiving: {result.receiving.detail}</div>
        </Alert>
      )}
      <Group gap="xs">
        <ActionButton
          icon={IconPlug}
          disabled={!isReady}
          variant="filled"
          run={(api) => api.post('/api/channels/{id}/connect', { params })}
          done={(now) => announce(now.status === 'error' ? 'The channel has an error' : `The channel is ${now.status}`)}
        >
          {status === 'connected' ? 'Reconnect' : 'Connect'}
        </ActionButton>
        <ActionButton
          icon={IconStethoscope}
          disabled={!isReady}
          run={(api) => api.post('/api/channels/{id}/test', { params })}
          done={setResult}
        >
          Test
        </ActionButton>
        <ActionButton
          icon={IconSend}
          disabled={!isReady || !owner_paired || !enabled}
          run={(api) => api.post('/api/channels/{id}/send', { params, body: { text: 'Hello from hearthd.' } })}
          done={() => announce('The test message was queued')}
        >
          Send test message
        </ActionButton>
        {enabled && (
          <ActionButton icon={IconPlugOff} run={(api) => api.post('/api/channels/{id}/disconnect', { params })}>
            Disconnect
          </ActionButton>
        )}
      </Group>
    </Panel>
  )
}

function SetUp({ channel, platform }: { channel: Channel; platform: PlatformInfo }) {
  const { webhook_url, webhook_path } = channel
  return (
    <Panel title={`Set up ${platform.title}`} gap="md">
      <BulletList type="ordered" spacing={4} size="sm">
        {platform.setup_steps.map((step) => (
          <BulletList.Item key={step}>
            <Markdown text={step.replaceAll('{webhook_url}', webhook_url ?? webhook_path)} />
          </BulletList.Item>
        ))}
      </BulletList>
      {channel.arrival === 'webhook' &&
        (webhook_url ? (
          <Group gap="xs" wrap="nowrap">
            <Code style={{ overflowWrap: 'anywhere' }}>{webhook_url}</Code>
            <CopyButton value={webhook_url} what="webhook address" />
          </Group>
        ) : (
          <Alert color="yellow" title="No public address" role="status">
            {platform.title} must reach this daemon from the internet.{' '}
            <TextLink href="/channels/settings">Set the public address</TextLink>; the webhook address is then shown
            here. Its path is <Code>{webhook_path}</Code>
          </Alert>
        ))}
      <Credentials key={channel.updated_at} channel={channel} platform={platform} />
    </Panel>
  )
}

interface CredentialValues extends Record<string, unknown> {
  credentials: Record<string, string>
}

function Credentials({ channel, platform }: { channel: Channel; platform: PlatformInfo }) {
  const api = useApi()
  const stored = channel.credentials
  const form = useApiForm<CredentialValues, Channel>({
    initial: {
      credentials: Object.fromEntries(platform.credentials.map(({ name }) => [name, stored[name]?.value ?? ''])),
    },
    save: ({ credentials }) =>
      api.put('/api/channels/{id}', {
        params: { id: channel.id },
        body: { credentials: changedCredentials(platform, credentials, stored) },
      }),
    stale,
    saved: () => announce('The credentials are saved'),
  })
  return (
    <EntityForm form={form} verb="Save credentials" disabled={!form.isDirty()}>
      <CredentialFields platform={platform} stored={stored} input={(path) => form.getInputProps(path)} />
      <Hint>Secrets are stored encrypted and never shown again. Leave a field empty to keep its stored value.</Hint>
    </EntityForm>
  )
}

const Rules = ({ channel: { id, name, default_agent_id, settings } }: { channel: Channel }) => (
  <Panel title="Access and agent">
    <EndpointForm
      path="/api/channels/{id}"
      params={{ id }}
      stale={stale}
      value={{ name, default_agent_id, settings }}
      fields={{
        enabled: false,
        credentials: false,
        settings: (props) => (
          <SchemaForm
            {...props}
            fields={{ messages_per_hour: (props.value as Channel['settings']).dm_policy === 'open' }}
          />
        ),
      }}
      saved={() => announce('Saved')}
      px="md"
      pb="md"
    >
      <Hint>
        Messages from other people are marked as untrusted: the agent does not treat them as your instructions, and asks
        you before it changes anything.
      </Hint>
    </EndpointForm>
  </Panel>
)

const Log = ({ id }: { id: string }) => (
  <ResourceList
    path="/api/channels/{id}/log"
    params={{ id }}
    items="entries"
    title="Log"
    size={20}
    empty="No messages yet."
    row={({ direction, detail, outcome, at }) => ({
      name: directions[direction],
      label: detail,
      badges: <StatusBadge {...outcomeOf(outcome)} />,
      children: (
        <Hint style={{ overflowWrap: 'anywhere' }}>
          {detail} · <Time at={at} />
        </Hint>
      ),
    })}
  />
)
