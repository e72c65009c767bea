import { Stack } from '@mantine/core'
import { useEndpoint } from '../../api/query.ts'
import { announce } from '../../parts/announce.ts'
import { Loaded } from '../../parts/list.tsx'
import { Panel } from '../../parts/page.tsx'
import { EndpointForm } from '../../parts/resource-form.tsx'
import { SchemaForm } from '../../parts/schema/schema-form.tsx'
import { Hint } from '../../parts/typography.tsx'

const path = '/api/channels/settings'

/** Settings of the public address and of notifications. */
export const ChannelSettings = () => (
  <Loaded query={useEndpoint(path)} what="The settings">
    {({ public_base_url, notifications }) => (
      <Stack gap="lg" maw={640}>
        <Panel title="Public address">
          <EndpointForm
            path={path}
            stale={['/api/channels']}
            value={{ public_base_url }}
            fields={{ notifications: false, public_base_url: { format: 'uri' } }}
            saved={() => announce('The public address was saved')}
            px="md"
            pb="md"
          >
            <Hint>
              Only the paths /api/channels/, /api/webhooks/in/ and /api/workflows/hooks/, forms/ and resume/ need to be
              reachable. Without an address, Telegram, Slack, Discord, email and outgoing messages work.
            </Hint>
          </EndpointForm>
        </Panel>
        <Panel title="Your notifications">
          <EndpointForm
            path={path}
            value={{ notifications }}
            fields={{ public_base_url: false, notifications: (props) => <SchemaForm {...props} /> }}
            saved={() => announce('Your notification settings were saved')}
            px="md"
            pb="md"
          />
        </Panel>
      </Stack>
    )}
  </Loaded>
)
