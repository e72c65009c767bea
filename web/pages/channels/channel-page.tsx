import { Alert, List as BulletList, Code, Group, Stack, TagsInput } from '@mantine/core'
import { IconMessages, IconPlug, IconPlugOff, IconSend, IconStethoscope } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Channel, ChannelTest, PlatformInfo } from '../../../runtime/channels/schema.ts'
import { useEndpoint, useOptional, usePages } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { useAgents } from '../../parts/agents.ts'
import { announce } from '../../parts/announce.ts'
import { ActionButton, DangerButton } from '../../parts/buttons.tsx'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EntityForm, inputsOf, useApiForm } from '../../parts/form.tsx'
import { Found, List } from '../../parts/list.tsx'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { optionsFor } from '../../parts/options.ts'
import { PageHeader, Panel, Row } from '../../parts/page.tsx'
import { Facts, StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { Bindings } from './bindings.tsx'
import { CredentialFields, changedCredentials } from './credentials.tsx'
import { directions, dmPolicies, groupPolicies, outcomes, statuses } from './labels.ts'
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
                <Rules key={found.updated_at} channel={found} />
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
  const remove = useChange((api) => api.delete('/api/channels/{id}', { params: { id } }), {
    stale,
    done: () => navigate('/channels'),
  })
  return (
    <PageHeader title={name} description={<TextLink href="/channels">All channels</TextLink>}>
      <ConfirmByName
        name={name}
        what="channel"
        effect="Its credentials, bindings and pairings are deleted. Its conversations are kept."
        run={remove}
      >
        {(ask) => <DangerButton onClick={ask}>Delete</DangerButton>}
      </ConfirmByName>
    </PageHeader>
  )
}

function StatusPanel({ channel }: { channel: Channel }) {
  const { id, enabled, status, missing, last_error, last_inbound_at, last_outbound_at, owner_paired } =
    channel
  const params = { id }
  const connect = useChange((api) => api.post('/api/channels/{id}/connect', { params }), {
    stale,
    done: (now) =>
      announce(now.status === 'error' ? 'The channel has an error' : `The channel is ${now.status}`),
  })
  const disconnect = useChange((api) => api.post('/api/channels/{id}/disconnect', { params }), { stale })
  const [result, setResult] = useState<ChannelTest | null>(null)
  const test = useChange((api) => api.post('/api/channels/{id}/test', { params }), { stale, done: setResult })
  const hello = useChange(
    (api) => api.post('/api/channels/{id}/send', { params, body: { text: 'Hello from hearthd.' } }),
    { stale, done: () => announce('The test message was queued') },
  )
  const isReady = missing.length === 0
  return (
    <Panel title="Status" action={<StatusBadge {...statuses[status]} />}>
      <Stack px="md" pb="md" gap="sm">
        <Facts
          facts={[
            ['Last message received', last_inbound_at ? <Time key="in" at={last_inbound_at} /> : 'None yet'],
            ['Last message sent', last_outbound_at ? <Time key="out" at={last_outbound_at} /> : 'None yet'],
            [
              'You',
              owner_paired ? 'Paired' : 'Not paired: send the bot a message, then choose “This is me” below',
            ],
          ]}
        />
        {last_error && (
          <Alert color="red" title="The last attempt failed" role="status">
            {last_error}
          </Alert>
        )}
        {result && (
          <Alert
            color={result.ok ? 'teal' : 'red'}
            title={result.ok ? 'It works' : 'It does not work'}
            role="status"
          >
            {result.detail} ({result.latency_ms} ms)
          </Alert>
        )}
        <Group gap="xs">
          <ActionButton icon={IconPlug} run={connect} disabled={!isReady} variant="filled">
            {status === 'connected' ? 'Reconnect' : 'Connect'}
          </ActionButton>
          <ActionButton icon={IconStethoscope} run={test} disabled={!isReady}>
            Test
          </ActionButton>
          <ActionButton icon={IconSend} run={hello} disabled={!isReady || !owner_paired || !enabled}>
            Send test message
          </ActionButton>
          {enabled && (
            <ActionButton icon={IconPlugOff} run={disconnect}>
              Disconnect
            </ActionButton>
          )}
        </Group>
      </Stack>
    </Panel>
  )
}

function SetUp({ channel, platform }: { channel: Channel; platform: PlatformInfo }) {
  const { webhook_url, webhook_path } = channel
  const needsAddress = !platform.fetches_messages
  return (
    <Panel title={`Set up ${platform.title}`}>
      <Stack px="md" pb="md">
        <BulletList type="ordered" spacing={4} size="sm">
          {platform.setup_steps.map((step) => (
            <BulletList.Item key={step}>
              <Markdown text={step.replaceAll('{webhook_url}', webhook_url ?? webhook_path)} />
            </BulletList.Item>
          ))}
        </BulletList>
        {needsAddress &&
          (webhook_url ? (
            <Group gap="xs" wrap="nowrap">
              <Code style={{ overflowWrap: 'anywhere' }}>{webhook_url}</Code>
              <CopyButton value={webhook_url} what="webhook address" />
            </Group>
          ) : (
            <Alert color="yellow" title="No public address" role="status">
              {platform.title} must reach this daemon from the internet.{' '}
              <TextLink href="/channels/settings">Set the public address</TextLink>; the webhook address is
              then shown here. Its path is <Code>{webhook_path}</Code>
            </Alert>
          ))}
        <Credentials key={channel.updated_at} channel={channel} platform={platform} />
      </Stack>
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
      credentials: Object.fromEntries(
        platform.credentials.map(({ name }) => [name, stored[name]?.value ?? '']),
      ),
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
      <Hint>
        Secrets are stored encrypted and never shown again. Leave a field empty to keep its stored value.
      </Hint>
    </EntityForm>
  )
}

function Rules({ channel }: { channel: Channel }) {
  const api = useApi()
  const agents = useAgents()
  const { settings } = channel
  const form = useApiForm({
    initial: { name: channel.name, agent: channel.default_agent_id ?? '', ...settings },
    save: (_, { name, agent, ...rules }) =>
      api.put('/api/channels/{id}', {
        params: { id: channel.id },
        body: {
          ...(name !== undefined && { name }),
          ...(agent !== undefined && { default_agent_id: agent || null }),
          settings: rules,
        },
      }),
    stale,
    saved: () => announce('Saved'),
    fieldOf: (path) => path.replace(/^settings\./, '').replace('default_agent_id', 'agent'),
  })
  const { text, native } = inputsOf(form)
  return (
    <Panel title="Access and agent">
      <EntityForm form={form} verb="Save" disabled={!form.isDirty()} px="md" pb="md">
        {text('name', 'Name', { maxLength: 100 })}
        {native('agent', 'Agent', [{ value: '', label: 'The default agent' }, ...optionsFor(agents)])}
        {native('dm_policy', 'Direct messages from', dmPolicies)}
        {form.values.dm_policy === 'open' &&
          inputsOf(form).number('messages_per_hour', 'Messages per hour', {
            ...{ min: 1, max: 10_000 },
            description: 'Answered for each person you have not approved',
          })}
        {native('group_policy', 'In groups', groupPolicies, {
          description:
            'Applies to groups on the allowlist or with a binding, and to people you have approved',
        })}
        <TagsInput
          label="Allowlist"
          description="IDs of people and groups on the platform; press Enter after each"
          {...form.getInputProps('allow_from')}
        />
        <Hint>
          Messages from other people are marked as untrusted: the agent does not treat them as your
          instructions, and asks you before it changes anything.
        </Hint>
      </EntityForm>
    </Panel>
  )
}

function Log({ id }: { id: string }) {
  const query = usePages('/api/channels/{id}/log', { params: { id } }, { size: 20 })
  return (
    <Panel title="Log">
      <List query={query} what="The log" items="entries" empty="No messages yet.">
        {(entry) => (
          <Row
            key={entry.id}
            name={directions[entry.direction]}
            label={entry.detail}
            badges={<StatusBadge {...outcomes[entry.outcome]} />}
          >
            <Hint style={{ overflowWrap: 'anywhere' }}>
              {entry.detail} · <Time at={entry.at} />
            </Hint>
          </Row>
        )}
      </List>
    </Panel>
  )
}
