import { Anchor, Autocomplete, Fieldset, Group, Select, SimpleGrid, Stack } from '@mantine/core'
import { Link } from 'wouter'
import type { Agent } from '../../../runtime/tools/agent.ts'
import { useEndpoint } from '../../api/query.ts'
import { useAgents } from '../../parts/agents.ts'
import { executionModes } from '../../parts/execution-modes.ts'
import { inputsOf } from '../../parts/form.tsx'
import { optionsFor, optionsOf } from '../../parts/options.ts'
import { useZone } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import type { JobForm, JobValues } from './job-values.ts'
import { isoOf, wallOf } from './zone.ts'

interface FieldsProps {
  form: JobForm
}

export function AgentFields({ form }: FieldsProps) {
  const agents = useAgents()
  const providers = useEndpoint('/api/providers').data?.providers ?? []
  const { select } = inputsOf(form)
  const { agent_id, execution_mode } = form.values
  const chosen = agents.find(({ id, is_default }) => (agent_id ? id === agent_id : is_default))
  const models = providers
    .filter(({ configured }) => configured)
    .flatMap(({ id, models }) => models.map((model) => `${id}/${model.id}`))
  return (
    <>
      <Group grow align="flex-start">
        {select(
          'agent_id',
          'Agent',
          agents
            .filter(({ enabled, id }) => enabled || id === agent_id)
            .map(({ id, name, enabled }) => ({ value: id, label: enabled ? name : `${name} (off)` })),
          { placeholder: chosen?.name ?? 'Default agent', searchable: true },
        )}
        <Autocomplete
          label="Model"
          placeholder="The agent’s model"
          data={['offline/offline', ...new Set(models)]}
          limit={50}
          {...form.getInputProps('model')}
        />
      </Group>
      {select('execution_mode', 'Approval', optionsOf(executionModes), {
        description: executionModes[execution_mode].hint,
        inputWrapperOrder: ['label', 'input', 'description', 'error'],
      })}
      {chosen && <Tools agent={chosen} />}
    </>
  )
}

function Tools({ agent: { id, name, tools } }: { agent: Agent }) {
  const allowed = tools.allow.includes('*') ? 'All tools' : tools.allow.join(', ') || 'No tools'
  return (
    <Hint>
      {allowed}
      {tools.deny.length > 0 && ` except ${tools.deny.join(', ')}`}, as set for{' '}
      <Anchor component={Link} href={`/agents/${id}`} inherit>
        {name}
      </Anchor>
    </Hint>
  )
}

const channels = [
  { value: 'none', label: 'None: read it here' },
  { value: 'chat', label: 'Chat' },
  { value: 'email', label: 'Email' },
  { value: 'webhook', label: 'Webhook' },
]

const formats = [
  { value: 'text', label: 'Text' },
  { value: 'markdown', label: 'Markdown' },
  { value: 'json', label: 'JSON' },
  { value: 'summary', label: 'Summary' },
]

export function DeliveryFields({ form }: FieldsProps) {
  const { text, password, select } = inputsOf(form)
  const { channel } = form.values.delivery
  const messengers = useEndpoint('/api/channels', { query: { limit: 200 } }).data?.channels ?? []
  const offered = [...channels, ...optionsFor(messengers)]
  const known = offered.some(({ value }) => value === channel)
  const all = known ? offered : [...offered, { value: channel, label: channel }]
  const isMessenger = !channels.some(({ value }) => value === channel)
  return (
    <Fieldset legend="Delivery of the result" p="sm">
      <Stack gap="sm">
        <Group grow align="flex-start">
          {select('delivery.channel', 'Deliver to', all)}
          {select('delivery.format', 'Format', formats, { disabled: channel === 'none' })}
        </Group>
        {channel === 'email' &&
          text('delivery.to', 'Addresses', {
            description: 'Separated by commas; leave empty for the sender’s own address',
          })}
        {channel === 'chat' &&
          text('delivery.to', 'Conversation', {
            description: 'Its ID; leave empty for one conversation with all results of this job',
          })}
        {isMessenger &&
          text('delivery.to', 'Chat', {
            description: 'Its ID on the platform; leave empty for the paired owner',
          })}
        {channel === 'webhook' && (
          <>
            {text('delivery.url', 'URL', {
              type: 'url',
              required: true,
              placeholder: 'https://example.com/hook',
            })}
            {password('delivery.secret', 'Secret', { description: 'Signs the request; stored encrypted' })}
          </>
        )}
      </Stack>
    </Fieldset>
  )
}

type ConditionType = NonNullable<JobValues['condition']>['type']

const conditions: Record<ConditionType, { label: string; field: string; hint: string; example: string }> = {
  previous_status: {
    label: 'The previous run ended with a status',
    field: 'Status',
    hint: 'succeeded, failed, timed_out, cancelled or lost',
    example: 'succeeded',
  },
  http: {
    label: 'A URL responds',
    field: 'URL',
    hint: 'Runs if the response is a success (2xx)',
    example: 'https://example.com/ready',
  },
  file_changed: {
    label: 'A file has changed',
    field: 'File',
    hint: 'Runs if the file has changed since the previous run',
    example: 'notes/today.md',
  },
  expression: {
    label: 'An expression is true',
    field: 'Expression',
    hint: 'JSONata with job, last_run, now, memory and system',
    example: 'last_run.status != "failed"',
  },
}

export function ConditionFields({ form }: FieldsProps) {
  const { condition } = form.values
  const chosen = condition && conditions[condition.type]
  return (
    <Fieldset legend="Condition" p="sm">
      <Stack gap="sm">
        <Select
          label="Run only if"
          placeholder="Always"
          clearable
          data={optionsOf(conditions)}
          value={condition?.type ?? null}
          error={form.errors.condition ?? form.errors['condition.type']}
          onChange={(type) =>
            form.setFieldValue('condition', type ? { type: type as ConditionType, expression: '' } : null)
          }
        />
        {chosen &&
          inputsOf(form).text('condition.expression', chosen.field, {
            description: chosen.hint,
            placeholder: chosen.example,
            required: true,
            spellCheck: false,
          })}
      </Stack>
    </Fieldset>
  )
}

const strategies = [
  { value: 'fixed', label: 'Same wait each time' },
  { value: 'linear', label: 'Longer wait each time' },
  { value: 'exponential', label: 'Double the wait each time' },
]

const misfires = [
  { value: 'run_once', label: 'Run once, late' },
  { value: 'run_all', label: 'Run once for each missed time' },
  { value: 'skip', label: 'Skip' },
]

const overlaps = [
  { value: 'skip', label: 'Skip the new run' },
  { value: 'buffer_one', label: 'Queue one run' },
  { value: 'allow', label: 'Run both' },
  { value: 'cancel_other', label: 'Cancel the previous run' },
]

export function FailureFields({ form }: FieldsProps) {
  const { number, select } = inputsOf(form)
  const { retry, misfire } = form.values
  const once = { disabled: retry.max_attempts <= 1 }
  return (
    <Fieldset legend="Failures and missed runs" p="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {number('retry.max_attempts', 'Attempts', { description: 'Including the first', min: 1, max: 20 })}
        {number('retry.base_delay', 'Wait before the second attempt', {
          description: 'Seconds',
          min: 0,
          max: 3_600,
          ...once,
        })}
        {select('retry.strategy', 'Further attempts', strategies, once)}
        {number('auto_pause_after', 'Pause after consecutive failures', {
          placeholder: 'Never',
          min: 1,
          max: 1_000,
        })}
        {select('misfire.policy', 'Missed runs', misfires, {
          description: 'For example while the machine was off',
        })}
        {number('misfire.window_seconds', 'Maximum delay', {
          description: 'In hours. A missed run older than this is skipped',
          min: 0,
          disabled: misfire.policy === 'skip',
          ...scaled(form, 'misfire.window_seconds', 3_600),
        })}
        {select('overlap', 'If the previous run is still active', overlaps)}
      </SimpleGrid>
    </Fieldset>
  )
}

export function LimitFields({ form }: FieldsProps) {
  const { number, text } = inputsOf(form)
  const zone = useZone()
  const ends = form.getInputProps('ends_at')
  const usd = { placeholder: 'No limit', prefix: '$', min: 0, allowDecimal: true, decimalScale: 4 }
  return (
    <Fieldset legend="Limits" p="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {number('timeout_seconds', 'Maximum duration of a run', {
          description: 'Minutes',
          min: 1,
          ...scaled(form, 'timeout_seconds', 60),
        })}
        {number('jitter_seconds', 'Random delay', {
          description: 'Up to this many seconds, to spread the load',
          min: 0,
          max: 3_600,
        })}
        {number('max_runs', 'Maximum number of runs', { placeholder: 'No limit', min: 1 })}
        {text('ends_at', 'End date', {
          type: 'datetime-local',
          value: ends.value && wallOf(Date.parse(ends.value), zone),
          onChange: (event) => ends.onChange(event.target.value && isoOf(event.target.value, zone)),
        })}
        {number('budget.run_usd', 'Budget per run', usd)}
        {number('budget.daily_usd', 'Budget per day', usd)}
      </SimpleGrid>
    </Fieldset>
  )
}

/** Shows a number of seconds in a unit of `size` seconds. */
function scaled(form: JobForm, path: string, size: number) {
  const { value, onChange } = form.getInputProps(path)
  return {
    allowDecimal: true,
    value: Math.round((Number(value) / size) * 100) / 100,
    onChange: (typed: number | string) => onChange(Math.round(Number(typed) * size)),
  }
}
