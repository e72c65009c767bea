import {
  Autocomplete,
  type ComboboxLikeRenderOptionInput,
  Fieldset,
  Group,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
} from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { Agent } from '../../../runtime/tools/agent.ts'
import type { AnswerOf } from '../../api/client.ts'
import { useEndpoint } from '../../api/query.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { type FieldProps, ThingsField } from '../../parts/schema/fields.tsx'
import { Hint } from '../../parts/typography.tsx'

/** A provider with a model, and what replaces them if they fail. */
export function ModelField({ schema, value, change, errors }: FieldProps) {
  const model = value as Agent['model']
  const { fallbacks } = model
  const set = (next: typeof fallbacks) => change({ ...model, fallbacks: next })
  return (
    <Stack>
      <ModelChoice
        label="Provider"
        placeholder="Automatic"
        value={model}
        error={errors.provider ?? errors.model}
        change={(choice) => change({ ...model, ...choice })}
      />
      <Fieldset legend="Fallbacks">
        <Stack gap="sm" align="stretch">
          {fallbacks.length === 0 && <Hint>No fallbacks: if the provider fails, the turn ends with an error.</Hint>}
          {fallbacks.map((fallback, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a fallback has no identity but its position
            <div key={index}>
              <ModelChoice
                label={`Fallback ${index + 1}`}
                placeholder="Choose one"
                value={fallback}
                error={errors[`fallbacks.${index}.provider`] ?? errors[`fallbacks.${index}.model`]}
                change={({ provider, model }) =>
                  set(fallbacks.with(index, { provider: provider ?? '', model: model ?? '' }))
                }
              />
              <SmallButton
                variant="subtle"
                color="gray"
                size="compact-xs"
                mt={4}
                onClick={() => set(fallbacks.toSpliced(index, 1))}
              >
                Remove fallback {index + 1}
              </SmallButton>
            </div>
          ))}
          <Group>
            <SmallButton
              icon={IconPlus}
              disabled={fallbacks.length >= (schema.properties?.fallbacks?.maxItems ?? 1)}
              onClick={() => set([...fallbacks, { provider: '', model: '' }])}
            >
              Add a fallback
            </SmallButton>
          </Group>
        </Stack>
      </Fieldset>
    </Stack>
  )
}

interface Choice {
  provider: string | null
  model: string | null
}

interface ModelChoiceProps {
  value: Choice
  change: (choice: Choice) => void
  label: string
  /** Shown while no provider is chosen. */
  placeholder: string
  error: string | undefined
}

/** A provider and one of its models. Other model names can be typed, because vendors add models often. */
function ModelChoice({ value, change, label, placeholder, error }: ModelChoiceProps) {
  const list = useEndpoint('/api/providers').data
  const chosen = list?.providers.find(({ id }) => id === value.provider)
  const providers = [
    ...(list ? [{ value: list.builtin.id as string, label: list.builtin.name }] : []),
    ...(list?.providers ?? []).map(({ id, name, configured }) => ({
      value: id as string,
      label: configured ? name : `${name} (not set up)`,
    })),
  ]
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <Select
        label={label}
        data={providers}
        value={value.provider}
        placeholder={placeholder}
        clearable
        searchable
        error={error}
        onChange={(provider) => change({ provider, model: null })}
      />
      <Autocomplete
        label="Model"
        value={value.model ?? ''}
        placeholder={chosen?.default_model ?? 'The provider’s default'}
        data={(chosen?.models ?? []).map(({ id }) => id)}
        limit={50}
        disabled={!value.provider || value.provider === 'offline'}
        onChange={(model) => change({ ...value, model: model || null })}
      />
    </SimpleGrid>
  )
}

/** Agents may also name a server by its id. */
export function ServersField(props: FieldProps) {
  const servers = useEndpoint('/api/settings/skills/mcp', { query: { limit: 200 } }).data?.servers
  const names = (props.value as string[]).map((one) => servers?.find(({ id }) => id === one)?.name ?? one)
  return <ThingsField {...props} value={names} />
}

type Tool = AnswerOf<'GET', '/api/agents/tools'>['tools'][number]

const toolGroups: Record<Tool['source'], string> = {
  'built-in': 'Built in',
  skill: 'Skills',
  server: 'Tool servers',
}

/** Tools by name. Patterns, and tools that do not exist yet, can be typed. */
export function ToolNames({ label, schema, value, change, error }: FieldProps) {
  const tools = useEndpoint('/api/agents/tools').data?.tools ?? []
  const sources = (Object.keys(toolGroups) as Tool['source'][]).filter((source) =>
    tools.some((tool) => tool.source === source),
  )
  const option = ({ option: { value: name } }: ComboboxLikeRenderOptionInput<{ value: string }>) => (
    <div>
      <Text size="sm">{name}</Text>
      <Hint lineClamp={1}>{tools.find((tool) => tool.name === name)?.summary}</Hint>
    </div>
  )
  return (
    <TagsInput
      label={label}
      description={schema.description}
      error={error}
      value={value as string[]}
      onChange={(next) => change(next, true)}
      data={sources.map((source) => ({
        group: toolGroups[source],
        items: tools.filter((tool) => tool.source === source).map(({ name }) => name),
      }))}
      renderOption={option}
      withScrollArea={false}
      styles={{ options: { maxHeight: 280, overflowY: 'auto' } }}
      acceptValueOnBlur
    />
  )
}
