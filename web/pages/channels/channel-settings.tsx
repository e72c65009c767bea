import { Checkbox, Stack } from '@mantine/core'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { EntityForm, inputsOf, useApiForm } from '../../parts/form.tsx'
import { Loaded } from '../../parts/list.tsx'
import { optionsFor } from '../../parts/options.ts'
import { Panel } from '../../parts/page.tsx'
import { Hint } from '../../parts/typography.tsx'
import { notifications } from './labels.ts'

const stale = ['/api/channels']

/** Settings of the public address and of notifications. */
export const ChannelSettings = () => (
  <Loaded query={useEndpoint('/api/channels/settings')} what="The settings">
    {({ public_base_url, notifications: chosen }) => (
      <Stack gap="lg" maw={640}>
        <Address address={public_base_url} />
        <Notifications {...chosen} />
      </Stack>
    )}
  </Loaded>
)

function Address({ address }: { address: string }) {
  const api = useApi()
  const form = useApiForm({
    initial: { public_base_url: address },
    save: (body) => api.put('/api/channels/settings', { body }),
    stale,
    saved: () => announce('The public address was saved'),
  })
  const { text } = inputsOf(form)
  return (
    <Panel title="Public address">
      <EntityForm form={form} verb="Save" px="md" pb="md">
        {text('public_base_url', 'Public base URL', {
          description:
            'The address at which this daemon can be reached from the internet, for example https://hearth.example.com. hearthd does not set this up: use a reverse proxy or a tunnel with HTTPS',
          type: 'url',
          placeholder: 'https://hearth.example.com',
        })}
        <Hint>
          Only the paths /api/channels/, /api/webhooks/in/ and /api/workflows/hooks/ need to be reachable.
          Without an address, only email, Discord and outgoing messages work.
        </Hint>
      </EntityForm>
    </Panel>
  )
}

type Kind = keyof typeof notifications

function Notifications({ channel_id, events }: { channel_id: string | null; events: readonly Kind[] }) {
  const api = useApi()
  const channels = useEndpoint('/api/channels', { query: { limit: 200 } }).data?.channels ?? []
  const form = useApiForm({
    initial: { channel: channel_id ?? '', events: [...events] },
    save: ({ channel, events: kinds }) =>
      api.put('/api/channels/settings', {
        body: { notifications: { channel_id: channel === '' ? null : channel, events: kinds } },
      }),
    stale,
    saved: () => announce('Your notification settings were saved'),
  })
  const { native } = inputsOf(form)
  return (
    <Panel title="Your notifications">
      <EntityForm form={form} verb="Save" px="md" pb="md">
        {native('channel', 'Send to', [{ value: '', label: 'No channel' }, ...optionsFor(channels)], {
          description: 'You must be paired on this channel. Your quiet hours apply',
        })}
        <Checkbox.Group label="Notify me when" {...form.getInputProps('events')}>
          <Stack gap="xs" mt="xs">
            {Object.entries(notifications).map(([value, label]) => (
              <Checkbox key={value} value={value} label={label} />
            ))}
          </Stack>
        </Checkbox.Group>
      </EntityForm>
    </Panel>
  )
}
