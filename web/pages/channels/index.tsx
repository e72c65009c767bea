import { Alert, Stack, Text } from '@mantine/core'
import { IconMessages } from '@tabler/icons-react'
import { useLocation, useParams } from 'wouter'
import type { Channel } from '../../../runtime/channels/schema.ts'
import { useEndpoint, usePages } from '../../api/query.ts'
import { LinkButton, NewLink } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, List, PageSkeleton, SkeletonRows } from '../../parts/list.tsx'
import { PageHeader, Row } from '../../parts/page.tsx'
import { StatusBadge, Views } from '../../parts/status.tsx'
import { When } from '../../parts/time.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { statuses } from './labels.ts'
import { Pairings } from './pairings.tsx'

const ChannelPage = lazily(() => import('./channel-page.tsx'), 'ChannelPage', <PageSkeleton />)
const NewChannelDrawer = lazily(() => import('./new-channel.tsx'), 'NewChannelDrawer')
const ChannelSettings = lazily(
  () => import('./channel-settings.tsx'),
  'ChannelSettings',
  <SkeletonRows count={6} />,
)

const views = [
  { href: '/channels', label: 'Channels' },
  { href: '/channels/settings', label: 'Address and notifications' },
]

/** `/channels`; `/channels/new` opens the form, `/channels/settings` is the public address, `/channels/<id>` one channel. */
export function Channels() {
  const { id } = useParams<{ id?: string }>()
  const [, navigate] = useLocation()
  if (id && id !== 'new' && id !== 'settings') return <ChannelPage key={id} id={id} />
  return (
    <div className="page">
      <PageHeader title="Channels" description="Talk to your agents from the messengers you already use.">
        <NewLink href="/channels/new">New channel</NewLink>
      </PageHeader>
      <Views
        label="Views of channels"
        views={views}
        current={id === 'settings' ? '/channels/settings' : '/channels'}
      />
      {id === 'settings' ? (
        <ChannelSettings />
      ) : (
        <Stack gap="lg">
          <NoAddress />
          <Pairings status="pending" title="Pairing requests" />
          <ChannelList />
        </Stack>
      )}
      {id === 'new' && <NewChannelDrawer close={() => navigate('/channels')} />}
    </div>
  )
}

/** A warning that messengers cannot reach a daemon without a public address. */
function NoAddress() {
  const settings = useEndpoint('/api/channels/settings').data
  if (settings?.public_base_url !== '') return null
  return (
    <Alert color="yellow" title="Messengers cannot reach this daemon yet" role="status">
      Most messengers deliver messages to an address on the internet, and this daemon has none. Make it
      reachable through a reverse proxy or a tunnel, then{' '}
      <TextLink href="/channels/settings" c="inherit" underline="always">
        set its public address
      </TextLink>
      . Email and Discord work without one.
    </Alert>
  )
}

function ChannelList() {
  const query = usePages('/api/channels', {}, { size: 50 })
  return (
    <section className="card" aria-label="Channels">
      <List
        query={query}
        what="Channels"
        items="channels"
        empty={
          <EmptyState icon={<IconMessages size={28} />} title="No channels yet">
            Add a channel for each messenger account that your agents should use.
          </EmptyState>
        }
      >
        {(channel) => <ChannelRow key={channel.id} channel={channel} />}
      </List>
    </section>
  )
}

function ChannelRow({ channel }: { channel: Channel }) {
  const { id, name, status, missing, owner_paired, last_error } = channel
  const platforms = useEndpoint('/api/channels/platforms').data?.platforms ?? []
  const platform = platforms.find((one) => one.name === channel.platform)?.title ?? channel.platform
  return (
    <Row
      name={name}
      badges={
        <>
          <StatusBadge {...statuses[status]} />
          {missing.length > 0 && <StatusBadge label="Credentials missing" color="yellow" />}
          {missing.length === 0 && !owner_paired && <StatusBadge label="You are not paired" color="yellow" />}
        </>
      }
      actions={
        <LinkButton href={`/channels/${id}`} aria-label={`Open ${name}`}>
          Open
        </LinkButton>
      }
    >
      <Hint>
        {platform}
        <When label="last message received" at={channel.last_inbound_at} />
        <When label="last message sent" at={channel.last_outbound_at} />
      </Hint>
      {last_error && (
        <Text size="xs" c="var(--mantine-color-error)" lineClamp={2}>
          {last_error}
        </Text>
      )}
    </Row>
  )
}
