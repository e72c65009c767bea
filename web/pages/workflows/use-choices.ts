import { isOffered } from '../../../runtime/workflows/offered-tools.ts'
import { useEndpoint } from '../../api/query.ts'
import type { Choices } from './schema-fields.tsx'

/** What can be chosen in the fields of nodes, by the format of their schema. */
export function useChoices(): Choices {
  const agents = useEndpoint('/api/agents').data?.agents ?? []
  const workflows = useEndpoint('/api/workflows', { query: { limit: 200 } }).data?.workflows ?? []
  const tools = useEndpoint('/api/agents/tools').data?.tools ?? []
  const providers = useEndpoint('/api/providers').data?.providers ?? []
  const recordings = useEndpoint('/api/browser/recordings', { query: { limit: 200 } }).data?.recordings ?? []
  const models = providers
    .filter(({ configured }) => configured)
    .flatMap(({ id, models: known }) => known.map((model) => `${id}/${model.id}`))
  const channels = useEndpoint('/api/channels', { query: { limit: 200 } }).data?.channels ?? []
  const devices = useEndpoint('/api/devices', { query: { limit: 200 } }).data?.devices ?? []
  const events = useEndpoint('/api/webhooks/events').data?.events ?? []
  return {
    channel: channels.map(({ id, name }) => ({ value: id, label: name })),
    device: devices.map(({ id, name }) => ({ value: id, label: name })),
    event: events.map((type) => ({ value: type, label: type })),
    agent: agents.map(({ id, name }) => ({ value: id, label: name })),
    workflow: workflows.map(({ id, name }) => ({ value: id, label: name })),
    tool: tools.filter(({ name }) => isOffered(name)).map(({ name }) => ({ value: name, label: name })),
    model: [...new Set(models)].map((model) => ({ value: model, label: model })),
    recording: recordings.map(({ recording_id, name }) => ({ value: recording_id, label: name })),
    timezone: zones,
  }
}

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => ({ value: zone, label: zone }))
