import {
  Anchor,
  Autocomplete,
  Button,
  type ComboboxLikeRenderOptionInput,
  Fieldset,
  Group,
  MultiSelect,
  NumberInput,
  Radio,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { Agent } from '../../../runtime/agents/schema.ts'
import type { AnswerOf } from '../../api/client.ts'
import { useEndpoint } from '../../api/query.ts'
import type { useApiForm } from '../../parts/form.tsx'
import { modeLabels } from './labels.ts'

type AgentForm = ReturnType<typeof useApiForm<Agent, Agent>>

interface Fields {
  form: AgentForm
}

export function BasicFields({ form }: Fields) {
  const avatar = form.getInputProps('avatar')
  return (
    <Stack>
      <TextInput label="Name" required maxLength={100} {...form.getInputProps('name')} />
      <TextInput
        label="Description"
        description="What this agent is good at; shown only to you"
        maxLength={2_000}
        {...form.getInputProps('description')}
      />
      <TextInput
        label="Symbol"
        description="One emoji or two letters. Empty: the initials"
        maxLength={8}
        error={avatar.error}
        value={avatar.value ?? ''}
        onChange={(event) => form.setFieldValue('avatar', event.currentTarget.value || null)}
      />
      <Textarea
        label="Instructions"
        description="Its role and how it works. Sent at the start of every conversation"
        autosize
        minRows={6}
        maxRows={18}
        maxLength={32_768}
        {...form.getInputProps('system_prompt')}
      />
      <Switch
        label="Enabled"
        description="A disabled agent does not start any work"
        {...form.getInputProps('enabled', { type: 'checkbox' })}
      />
    </Stack>
  )
}

/** As in the schema. */
const maxFallbacks = 8

export function ModelFields({ form }: Fields) {
  const { model } = form.values
  const setFallbacks = (fallbacks: Agent['model']['fallbacks']) =>
    form.setFieldValue('model', { ...model, fallbacks })
  return (
    <Stack>
      <ModelChoice
        label="Provider"
        placeholder="Automatic"
        value={model}
        error={form.errors['model.provider'] ?? form.errors['model.model']}
        change={(choice) => form.setFieldValue('model', { ...model, ...choice })}
      />
      <Fieldset legend="Fallbacks">
        <Stack gap="sm">
          {model.fallbacks.length === 0 && (
            <Text size="sm" c="dimmed">
              No fallbacks: if the provider fails, the turn ends with an error.
            </Text>
          )}
          {model.fallbacks.map((fallback, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a fallback has no identity but its position
            <div key={index}>
              <ModelChoice
                label={`Fallback ${index + 1}`}
                placeholder="Choose one"
                value={fallback}
                error={form.errors[`model.fallbacks.${index}.model`]}
                change={({ provider, model: name }) =>
                  setFallbacks(model.fallbacks.with(index, { provider: provider ?? '', model: name ?? '' }))
                }
              />
              <Button
                variant="subtle"
                color="gray"
                size="compact-xs"
                mt={4}
                onClick={() => setFallbacks(model.fallbacks.toSpliced(index, 1))}
              >
                Remove fallback {index + 1}
              </Button>
            </div>
          ))}
          <Group>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPlus size={14} />}
              disabled={model.fallbacks.length >= maxFallbacks}
              onClick={() => setFallbacks([...model.fallbacks, { provider: '', model: '' }])}
            >
              Add a fallback
            </Button>
          </Group>
        </Stack>
      </Fieldset>
      <Group grow align="flex-start">
        <NumberInput
          label="Temperature"
          description="Empty: the default of the model"
          min={0}
          max={2}
          step={0.1}
          {...form.optionalNumber('temperature')}
        />
        <NumberInput
          label="Answer limit (tokens)"
          description="Empty: the default of the model"
          min={1}
          max={1_000_000}
          allowDecimal={false}
          {...form.optionalNumber('max_output_tokens')}
        />
      </Group>
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
  error?: AgentForm['errors'][string]
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
    <Group grow align="flex-start" gap="sm">
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
    </Group>
  )
}

export function ToolFields({ form }: Fields) {
  const skills = useEndpoint('/api/settings/skills').data?.skills
  const servers = useEndpoint('/api/settings/skills/mcp', { query: { limit: 200 } }).data?.servers
  // Agents may also name a server by its id.
  const serverNames = form.values.mcp_servers.map((one) => servers?.find(({ id }) => id === one)?.name ?? one)
  return (
    <Stack>
      <Radio.Group label="What it may do without asking" {...form.getInputProps('execution_mode')}>
        <Stack gap="xs" mt="xs">
          {Object.entries(modeLabels).map(([value, { label, hint }]) => (
            <Radio key={value} value={value} label={label} description={hint} />
          ))}
        </Stack>
      </Radio.Group>
      <ToolNames
        label="Allowed tools"
        description="Names; a trailing * matches any ending, and * alone matches everything"
        {...form.getInputProps('tools.allow')}
      />
      <ToolNames
        label="Denied tools"
        description="Overrides what is allowed"
        {...form.getInputProps('tools.deny')}
      />
      <NamesOrAll
        label="Skills"
        source={{ href: '/settings/skills', what: 'skills' }}
        known={skills}
        {...form.getInputProps('skills')}
      />
      <NamesOrAll
        label="Tool servers (MCP)"
        source={{ href: '/settings/tool-servers', what: 'tool servers' }}
        known={servers}
        {...form.getInputProps('mcp_servers')}
        value={serverNames}
      />
    </Stack>
  )
}

interface NamesProps {
  label: string
  value?: string[]
  onChange: (value: string[]) => void
}

type Tool = AnswerOf<'GET', '/api/agents/tools'>['tools'][number]

const toolGroups: Record<Tool['source'], string> = {
  'built-in': 'Built in',
  skill: 'Skills',
  server: 'Tool servers',
}

/** Tools by name. Patterns, and tools that do not exist yet, can be typed. */
function ToolNames({ description, ...props }: NamesProps & { description: string }) {
  const tools = useEndpoint('/api/agents/tools').data?.tools ?? []
  const sources = (Object.keys(toolGroups) as Tool['source'][]).filter((source) =>
    tools.some((tool) => tool.source === source),
  )
  const option = ({ option: { value: name } }: ComboboxLikeRenderOptionInput<{ value: string }>) => (
    <div>
      <Text size="sm">{name}</Text>
      <Text size="xs" c="dimmed" lineClamp={1}>
        {tools.find((tool) => tool.name === name)?.summary}
      </Text>
    </div>
  )
  return (
    <TagsInput
      description={description}
      data={sources.map((source) => ({
        group: toolGroups[source],
        items: tools.filter((tool) => tool.source === source).map(({ name }) => name),
      }))}
      renderOption={option}
      withScrollArea={false}
      styles={{ options: { maxHeight: 280, overflowY: 'auto' } }}
      acceptValueOnBlur
      {...props}
    />
  )
}

interface NamesOrAllProps extends NamesProps {
  source: { href: string; what: string }
  known: { name: string; enabled: boolean }[] | undefined
}

const all = '*'

/** A choice of known names, or all. Names that no longer exist stay visible and can be removed. */
function NamesOrAll({ source, known = [], value = [], onChange, ...props }: NamesOrAllProps) {
  const missing = value.filter((one) => one !== all && !known.some(({ name }) => name === one))
  return (
    <MultiSelect
      description={
        <>
          From the{' '}
          <Anchor component={Link} href={source.href} inherit>
            {source.what} in the settings
          </Anchor>
        </>
      }
      data={[
        { value: all, label: 'All' },
        ...known.map(({ name, enabled }) => ({ value: name, label: enabled ? name : `${name} (off)` })),
        ...missing.map((name) => ({ value: name, label: `${name} (missing)` })),
      ]}
      searchable
      clearable
      hidePickedOptions
      nothingFoundMessage="No matches"
      value={value}
      onChange={(chosen) => onChange(chosen.at(-1) === all ? [all] : chosen.filter((one) => one !== all))}
      {...props}
    />
  )
}

export function MemoryFields({ form }: Fields) {
  const disabled = !form.values.memory.enabled
  return (
    <Stack>
      <Switch
        label="Recall"
        description="Searches its memory before it answers"
        {...form.getInputProps('memory.enabled', { type: 'checkbox' })}
      />
      <Switch
        label="Capture"
        description="Stores the facts of each conversation"
        disabled={disabled}
        {...form.getInputProps('memory.capture', { type: 'checkbox' })}
      />
      <Radio.Group label="Memory scope" {...form.getInputProps('memory.scope')}>
        <Stack gap="xs" mt="xs">
          <Radio
            value="own"
            label="Own"
            description="Only the memories that it captured"
            disabled={disabled}
          />
          <Radio
            value="shared"
            label="Shared"
            description="The memories of all agents that share theirs"
            disabled={disabled}
          />
        </Stack>
      </Radio.Group>
      <NumberInput
        label="Memories per answer"
        description="Maximum number that it recalls"
        min={0}
        max={50}
        allowDecimal={false}
        disabled={disabled}
        {...form.getInputProps('memory.recall_limit')}
      />
    </Stack>
  )
}

export function LimitFields({ form }: Fields) {
  const dollars = { description: 'Empty: no limit', min: 0, decimalScale: 2, prefix: '$' }
  return (
    <Stack>
      <NumberInput
        label="Steps per turn"
        description="A turn that needs more ends with an error"
        min={1}
        max={500}
        allowDecimal={false}
        {...form.getInputProps('max_steps')}
      />
      <NumberInput
        label="Budget per run (US dollars)"
        {...dollars}
        {...form.optionalNumber('budget.run_usd')}
      />
      <NumberInput
        label="Budget per day (US dollars)"
        {...dollars}
        {...form.optionalNumber('budget.daily_usd')}
      />
    </Stack>
  )
}
