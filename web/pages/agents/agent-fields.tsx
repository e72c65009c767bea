import {
  Anchor,
  Autocomplete,
  type ComboboxLikeRenderOptionInput,
  Fieldset,
  Group,
  MultiSelect,
  Radio,
  Select,
  Stack,
  TagsInput,
  Text,
} from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { Agent } from '../../../runtime/tools/agent.ts'
import type { AnswerOf } from '../../api/client.ts'
import { useEndpoint } from '../../api/query.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { executionModes } from '../../parts/execution-modes.ts'
import { inputsOf, type useApiForm } from '../../parts/form.tsx'
import { Hint } from '../../parts/typography.tsx'
import { UserChoice } from '../../parts/user-choice.tsx'

type AgentForm = ReturnType<typeof useApiForm<Agent, Agent>>

interface Fields {
  form: AgentForm
}

export function BasicFields({ form }: Fields) {
  const { text, toggle, area } = inputsOf(form)
  return (
    <Stack>
      {text('name', 'Name', { required: true, maxLength: 100 })}
      {text('description', 'Description', {
        description: 'What this agent is good at; shown only to you',
        maxLength: 2_000,
      })}
      {text('avatar', 'Symbol', {
        description: 'One emoji or two letters. Empty: the initials',
        maxLength: 8,
        value: form.values.avatar ?? '',
        onChange: (event) => form.setFieldValue('avatar', event.currentTarget.value || null),
      })}
      {area('system_prompt', 'Instructions', [6, 18], {
        description: 'Its role and how it works. Sent at the start of every conversation',
        maxLength: 32_768,
      })}
      {toggle('enabled', 'Enabled', { description: 'A disabled agent does not start any work' })}
      {!form.values.is_default && (
        <UserChoice
          label="Users"
          description="Who may choose this agent. Empty: everyone"
          value={form.values.users ?? []}
          error={form.errors.users}
          onChange={(ids) => form.setFieldValue('users', ids.length > 0 ? ids : null)}
        />
      )}
    </Stack>
  )
}

const byDefault = { description: 'Empty: the default of the model' }

/** As in the schema. */
const maxFallbacks = 8

export function ModelFields({ form }: Fields) {
  const { model } = form.values
  const { optionalNumber } = inputsOf(form)
  return (
    <Stack>
      <ModelChoice
        label="Provider"
        placeholder="Automatic"
        value={model}
        error={form.errors['model.provider'] ?? form.errors['model.model']}
        change={(choice) => form.setFieldValue('model', { ...model, ...choice })}
      />
      <Fallbacks form={form} />
      <Group grow align="flex-start">
        {optionalNumber('temperature', 'Temperature', {
          ...byDefault,
          min: 0,
          max: 2,
          step: 0.1,
          allowDecimal: true,
        })}
        {optionalNumber('max_output_tokens', 'Answer limit (tokens)', {
          ...byDefault,
          min: 1,
          max: 1_000_000,
        })}
      </Group>
    </Stack>
  )
}

function Fallbacks({ form }: Fields) {
  const { fallbacks } = form.values.model
  const set = (next: typeof fallbacks) => form.setFieldValue('model.fallbacks', next)
  return (
    <Fieldset legend="Fallbacks">
      <Stack gap="sm" align="stretch">
        {fallbacks.length === 0 && (
          <Hint>No fallbacks: if the provider fails, the turn ends with an error.</Hint>
        )}
        {fallbacks.map((fallback, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a fallback has no identity but its position
          <div key={index}>
            <ModelChoice
              label={`Fallback ${index + 1}`}
              placeholder="Choose one"
              value={fallback}
              error={form.errors[`model.fallbacks.${index}.model`]}
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
            disabled={fallbacks.length >= maxFallbacks}
            onClick={() => set([...fallbacks, { provider: '', model: '' }])}
          >
            Add a fallback
          </SmallButton>
        </Group>
      </Stack>
    </Fieldset>
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
          {Object.entries(executionModes).map(([value, { label, hint }]) => (
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
      <Hint lineClamp={1}>{tools.find((tool) => tool.name === name)?.summary}</Hint>
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

const sandboxModes = [
  { value: 'off', label: 'Never', description: 'The agent does not get the shell tool' },
  {
    value: 'unattended',
    label: 'Unattended',
    description: 'In jobs, projects and other runs without a person present',
  },
  {
    value: 'all',
    label: 'Everywhere',
    description: 'Also in chats, where the agent asks for approval according to its execution mode',
  },
]

export const SandboxFields = ({ form }: Fields) => (
  <Radio.Group
    label="Runs commands"
    description="Always in a container of its own, never on this machine"
    {...form.getInputProps('sandbox.mode')}
  >
    <Stack gap="xs" mt="xs">
      {sandboxModes.map((mode) => (
        <Radio key={mode.value} {...mode} />
      ))}
    </Stack>
  </Radio.Group>
)

export function MemoryFields({ form }: Fields) {
  const { toggle, number } = inputsOf(form)
  const disabled = !form.values.memory.enabled
  return (
    <Stack>
      {toggle('memory.enabled', 'Recall', { description: 'Searches its memory before it answers' })}
      {toggle('memory.capture', 'Capture', {
        description: 'Stores the facts of each conversation',
        disabled,
      })}
      <Radio.Group label="Memory scope" {...form.getInputProps('memory.scope')}>
        <Stack gap="xs" mt="xs">
          {scopes.map((scope) => (
            <Radio key={scope.value} {...scope} disabled={disabled} />
          ))}
        </Stack>
      </Radio.Group>
      {number('memory.recall_limit', 'Memories per answer', {
        description: 'Maximum number that it recalls',
        min: 0,
        max: 50,
        disabled,
      })}
    </Stack>
  )
}

const scopes = [
  { value: 'own', label: 'Own', description: 'Only the memories that it captured' },
  { value: 'shared', label: 'Shared', description: 'The memories of all agents that share theirs' },
]

const dollars = {
  description: 'Empty: no limit',
  min: 0,
  allowDecimal: true,
  decimalScale: 2,
  prefix: '$',
}

export function LimitFields({ form }: Fields) {
  const { number, optionalNumber } = inputsOf(form)
  return (
    <Stack>
      {number('max_steps', 'Steps per turn', {
        description: 'A turn that needs more ends with an error',
        min: 1,
        max: 500,
      })}
      {optionalNumber('budget.run_usd', 'Budget per run (US dollars)', dollars)}
      {optionalNumber('budget.daily_usd', 'Budget per day (US dollars)', dollars)}
    </Stack>
  )
}
