import { Group, Stack, Text } from '@mantine/core'
import { IconArrowsExchange } from '@tabler/icons-react'
import type { ModelCallRow } from '../../../runtime/ledger/schema.ts'
import type { ModelCallDetails } from '../../../runtime/monitoring/calls.ts'
import { useEndpoint } from '../../api/query.ts'
import { LinkButton, SmallButton } from '../../parts/buttons.tsx'
import { Cost } from '../../parts/cost.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Loaded } from '../../parts/list.tsx'
import { whole } from '../../parts/numbers.ts'
import { ResourceList } from '../../parts/resource-list.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useParameters } from '../../parts/use-parameters.ts'
import { callStatus, categories } from './labels.ts'

/** The calls of models, newest first. `?message=` and `?conversation=` show those of an answer or a conversation. */
export function Calls() {
  const { get, set } = useParameters()
  const [message_id, conversation_id] = [get('message'), get('conversation')]
  return (
    <ResourceList
      path="/api/monitoring/calls"
      items="calls"
      title="Model calls"
      icon={IconArrowsExchange}
      empty="Each request to a model is listed here, with what it sent."
      query={{ ...(message_id && { message_id }), ...(conversation_id && { conversation_id }) }}
      row={(call) => ({
        name: `${call.provider}/${call.model}`,
        badges: <StatusBadge {...callStatus(call.status)} />,
        children: <CallFacts call={call} />,
        actions: call.conversation_id && (
          <LinkButton href={`/chat/${call.conversation_id}${call.message_id ? `?at=${call.message_id}` : ''}`}>
            Conversation
          </LinkButton>
        ),
        verb: 'Show request',
        details: call.has_request && (() => <Request id={call.id} />),
      })}
    >
      {(message_id || conversation_id) && (
        <Group gap="xs" px="md" pb="xs">
          <Text size="sm">{message_id ? 'Calls of one answer' : 'Calls of one conversation'}</Text>
          <SmallButton onClick={() => set({ message: '', conversation: '' })}>Show all</SmallButton>
        </Group>
      )}
    </ResourceList>
  )
}

function CallFacts({ call }: { call: ModelCallRow }) {
  const { at, category, input_tokens, cached_tokens, output_tokens, error } = call
  const cached = cached_tokens > 0 ? ` (${Math.round((cached_tokens / input_tokens) * 100)} % cached)` : ''
  return (
    <>
      <Hint>
        <Time at={at} /> · {categories[category]} · {whole(input_tokens)} tokens in{cached}, {whole(output_tokens)} out
        · <Cost usd={call.cost_usd} provider={call.provider} model={call.model} />
      </Hint>
      {error && <Hint c="var(--mantine-color-error)">{error}</Hint>}
    </>
  )
}

const partLabels: Record<keyof NonNullable<ModelCallDetails['request']>['tokens'], string> = {
  system: 'Instructions and notes',
  tools: 'Tools',
  memory: 'Memory',
  history: 'Conversation',
  attachments: 'Attachments',
}

function Request({ id }: { id: string }) {
  const query = useEndpoint('/api/monitoring/calls/{id}', { params: { id } })
  return (
    <Loaded query={query} what="The request">
      {({ request }) =>
        request ? (
          <Stack gap="sm" pt="xs" align="stretch">
            <Tokens tokens={request.tokens} />
            <Body body={request.body} />
          </Stack>
        ) : (
          <Hint>The request is no longer kept.</Hint>
        )
      }
    </Loaded>
  )
}

function Tokens({ tokens }: { tokens: NonNullable<ModelCallDetails['request']>['tokens'] }) {
  const total = Object.values(tokens).reduce((sum, count) => sum + count, 0)
  const parts = Object.keys(partLabels) as (keyof typeof partLabels)[]
  return (
    <DataTable
      label="Tokens by part"
      head={['Part', 'Tokens', 'Share']}
      numbers={[1, 2]}
      maw={420}
      rows={parts.map((part) => [
        partLabels[part],
        whole(tokens[part]),
        total === 0 ? '–' : `${Math.round((tokens[part] / total) * 100)} %`,
      ])}
    />
  )
}

/** The body by its members: lists, such as messages and tools, item by item. */
function Body({ body }: { body: unknown }) {
  if (typeof body !== 'object' || body === null) return <Hint>The request was too large to be kept.</Hint>
  const members = Object.entries(body)
  const options = members.filter(([, value]) => !isLong(value))
  return (
    <>
      <JsonView label="Options" value={Object.fromEntries(options)} />
      {members
        .filter(([, value]) => isLong(value))
        .flatMap(([name, value]) =>
          Array.isArray(value) && name !== 'tools'
            ? value.map((item, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the request never changes
                <JsonView key={`${name} ${index}`} label={titleOf(name, index, item)} value={plain(item)} />
              ))
            : [<JsonView key={name} label={name} value={value} />],
        )}
    </>
  )
}

const isLong = (value: unknown) => Array.isArray(value) || JSON.stringify(value).length > 200

function titleOf(name: string, index: number, item: unknown): string {
  const { role, type } = item as { role?: unknown; type?: unknown }
  return [`${name} ${index + 1}`, role ?? type].filter(Boolean).join(' · ')
}

/** The text of a message that is nothing else, so that its lines are shown as lines. */
function plain(item: unknown): unknown {
  const { role, type, content, text, ...others } = item as Record<string, unknown>
  const said = content ?? text
  return typeof said === 'string' && Object.keys(others).length === 0 ? said : item
}
