import { Alert, Stack } from '@mantine/core'
import type { StartAction } from '../../../runtime/hooks/action-schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { ActionButton } from '../../parts/buttons.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'

/** The action with its templates rendered from the latest message. */
export function ActionPreview({ webhook, action }: { webhook: string; action: StartAction }) {
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
export function LatestMessage({ webhook }: { webhook: string }) {
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

export function ReceivedDetails(params: { id: string; delivery_id: string }) {
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
