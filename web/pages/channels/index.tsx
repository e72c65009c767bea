import { Alert, Stack } from '@mantine/core'
import { IconMessages } from '@tabler/icons-react'
import { useLocation, useParams } from 'wouter'
import { useEndpoint } from '../../api/query.ts'
import { LinkButton, NewLink } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { PageSkeleton, SkeletonRows } from '../../parts/list.tsx'
import { PageHeader } from '../../parts/page.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { StatusBadge, Views } from '../../parts/status.tsx'
import { When } from '../../parts/time.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { channelStatus } from './labels.ts'
import { Pairings } from './pairings.tsx'

const ChannelPage = lazily(() => import('./channel-page.tsx'), 'ChannelPage', <PageSkeleton />)
const NewChannelDrawer = lazily(() => import('./new-channel.tsx'), 'NewChannelDrawer')
const ChannelSettings = lazily(() => import('./channel-settings.tsx'), 'ChannelSettings', <SkeletonRows count={6} />)

const views = [
  { place: '', label: 'Channels' },
  { place: 'settings', label: 'Address and notifications' },
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
      <Views label="Views of channels" base="/channels" views={views} current={id === 'settings' ? id : ''} />
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

/** Says which messengers cannot reach a daemon without a public address. */
function NoAddress() {
  const settings = useEndpoint('/api/channels/settings').data
  if (settings?.public_base_url !== '') return null
  return (
    <Alert color="blue" title="No public address" role="status">
      Telegram, Slack, Discord and email work without an address on the internet. The other messengers deliver messages
      to one, and this daemon has none. Make it reachable through a reverse proxy or a tunnel, then{' '}
      <TextLink href="/channels/settings" c="inherit" underline="always">
        set its public address
      </TextLink>
      .
    </Alert>
  )
}

function ChannelList() {
  const platforms = useEndpoint('/api/channels/platforms').data?.platforms ?? []
  return (
    <ResourceList
      path="/api/channels"
      items="channels"
      title="Channels"
      frame="card"
      icon={IconMessages}
      empty="Add a channel for each messenger account that your agents should use."
      row={({ id, name, status, platform, missing, owner_paired, last_error, ...channel }) => ({
        badges: (
          <>
            <StatusBadge {...channelStatus(status)} />
            {missing.length > 0 && <StatusBadge label="Credentials missing" color="yellow" />}
            {missing.length === 0 && !owner_paired && <StatusBadge label="You are not paired" color="yellow" />}
          </>
        ),
        actions: (
          <LinkButton href={`/channels/${id}`} aria-label={`Open ${name}`}>
            Open
          </LinkButton>
        ),
        children: (
          <>
            <Hint>
              {platforms.find((one) => one.name === platform)?.title ?? platform}
              <When label="last message received" at={channel.last_inbound_at} />
              <When label="last message sent" at={channel.last_outbound_at} />
            </Hint>
            {last_error && (
              <Hint c="var(--mantine-color-error)" lineClamp={2}>
                {last_error}
              </Hint>
            )}
          </>
        ),
      })}
    />
  )
}
