import {
  Anchor,
  Autocomplete,
  Fieldset,
  Group,
  NumberInput,
  PasswordInput,
  Select,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core'
import type { ChangeEvent } from 'react'
import { Link } from 'wouter'
import type { Agent } from '../../../runtime/agents/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { Hint } from '../../parts/hint.tsx'
import { useZone } from '../../parts/time.tsx'
import type { JobForm, JobValues } from './job-values.ts'
import { isoOf, wallOf } from './zone.ts'

interface FieldsProps {
  form: JobForm
}

const modes: { value: JobValues['execution_mode']; label: string }[] = [
  { value: 'read_only', label: 'Read only: no tools that change anything' },
  { value: 'approval_required', label: 'Ask before every change' },
  { value: 'auto', label: 'Ask before risky actions' },
  { value: 'autonomous', label: 'Never ask' },
]

export function AgentFields({ form }: FieldsProps) {
  const agents = useEndpoint('/api/agents').data?.agents ?? []
  const providers = useEndpoint('/api/providers').data?.providers ?? []
  const { agent_id } = form.values
  const chosen = agents.find(({ id, is_default }) => (agent_id ? id === agent_id : is_default))
  const models = providers
    .filter(({ configured }) => configured)
    .flatMap(({ id, models }) => models.map((model) => `${id}/${model.id}`))
  return (
    <>
      <Group grow align="flex-start">
        <Select
          label="Agent"
          placeholder={chosen?.name ?? 'Default agent'}
          data={agents
            .filter(({ enabled, id }) => enabled || id === agent_id)
            .map(({ id, name, enabled }) => ({ value: id, label: enabled ? name : `${name} (off)` }))}
          allowDeselect={false}
          searchable
          {...form.getInputProps('agent_id')}
        />
        <Autocomplete
          label="Model"
          placeholder="The agent’s model"
          data={['offline/offline', ...new Set(models)]}
          limit={50}
          {...form.getInputProps('model')}
        />
      </Group>
      <Select label="Approval" data={modes} allowDeselect={false} {...form.getInputProps('execution_mode')} />
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
  const { channel } = form.values.delivery
  const known = channels.some(({ value }) => value === channel)
  return (
    <Fieldset legend="Delivery of the result" p="sm">
      <Stack gap="sm">
        <Group grow align="flex-start">
          <Select
            label="Deliver to"
            data={known ? channels : [...channels, { value: channel, label: channel }]}
            allowDeselect={false}
            {...form.getInputProps('delivery.channel')}
          />
          <Select
            label="Format"
            data={formats}
            allowDeselect={false}
            disabled={channel === 'none'}
            {...form.getInputProps('delivery.format')}
          />
        </Group>
        {(channel === 'email' || channel === 'chat') && (
          <TextInput
            label={channel === 'email' ? 'Addresses' : 'Conversation'}
            description={
              channel === 'email'
                ? 'Separated by commas; leave empty for the sender’s own address'
                : 'Its ID; leave empty for one conversation with all results of this job'
            }
            {...form.getInputProps('delivery.to')}
          />
        )}
        {channel === 'webhook' && (
          <>
            <TextInput
              type="url"
              label="URL"
              required
              placeholder="https://example.com/hook"
              {...form.getInputProps('delivery.url')}
            />
            <PasswordInput
              label="Secret"
              description="Signs the request; stored encrypted"
              autoComplete="off"
              {...form.getInputProps('delivery.secret')}
            />
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
  const { label, hint, example } = condition
    ? { ...conditions[condition.type], label: conditions[condition.type].field }
    : { label: '', hint: '', example: '' }
  return (
    <Fieldset legend="Condition" p="sm">
      <Stack gap="sm">
        <Select
          label="Run only if"
          placeholder="Always"
          clearable
          data={Object.entries(conditions).map(([value, { label }]) => ({ value, label }))}
          value={condition?.type ?? null}
          error={form.errors.condition ?? form.errors['condition.type']}
          onChange={(type) =>
            form.setFieldValue('condition', type ? { type: type as ConditionType, expression: '' } : null)
          }
        />
        {condition && (
          <TextInput
            label={label}
            description={hint}
            placeholder={example}
            required
            spellCheck={false}
            {...form.getInputProps('condition.expression')}
          />
        )}
      </Stack>
    </Fieldset>
  )
}

const strategies = [
  { value: 'fixed', label: 'Wait the same each time' },
  { value: 'linear', label: 'Wait longer each time' },
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
  const { retry, misfire } = form.values
  const once = retry.max_attempts <= 1
  return (
    <Fieldset legend="Failures and missed runs" p="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NumberInput
          label="Attempts"
          description="Including the first"
          min={1}
          max={20}
          allowDecimal={false}
          {...form.getInputProps('retry.max_attempts')}
        />
        <NumberInput
          label="Wait before the second attempt"
          description="Seconds"
          min={0}
          max={3_600}
          allowDecimal={false}
          disabled={once}
          {...form.getInputProps('retry.base_delay')}
        />
        <Select
          label="Further attempts"
          data={strategies}
          allowDeselect={false}
          disabled={once}
          {...form.getInputProps('retry.strategy')}
        />
        <NumberInput
          label="Pause after consecutive failures"
          min={1}
          max={1_000}
          placeholder="Never"
          allowDecimal={false}
          {...form.getInputProps('auto_pause_after')}
        />
        <Select
          label="Missed runs"
          description="For example while the machine was off"
          data={misfires}
          allowDeselect={false}
          {...form.getInputProps('misfire.policy')}
        />
        <NumberInput
          label="Maximum delay"
          description="Hours; later than this, a missed run is skipped"
          min={0}
          disabled={misfire.policy === 'skip'}
          {...scaled(form.getInputProps('misfire.window_seconds'), 3_600)}
        />
        <Select
          label="If the previous run is still active"
          data={overlaps}
          allowDeselect={false}
          {...form.getInputProps('overlap')}
        />
      </SimpleGrid>
    </Fieldset>
  )
}

export function LimitFields({ form }: FieldsProps) {
  const zone = useZone()
  const ends = form.getInputProps('ends_at')
  const usd = { placeholder: 'No limit', prefix: '$', min: 0, decimalScale: 4 }
  return (
    <Fieldset legend="Limits" p="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NumberInput
          label="Maximum duration of a run"
          description="Minutes"
          min={1}
          {...scaled(form.getInputProps('timeout_seconds'), 60)}
        />
        <NumberInput
          label="Random delay"
          description="Up to this many seconds, to spread the load"
          min={0}
          max={3_600}
          allowDecimal={false}
          {...form.getInputProps('jitter_seconds')}
        />
        <NumberInput
          label="Maximum number of runs"
          placeholder="No limit"
          min={1}
          allowDecimal={false}
          {...form.getInputProps('max_runs')}
        />
        <TextInput
          type="datetime-local"
          label="End date"
          {...ends}
          value={ends.value && wallOf(Date.parse(ends.value), zone)}
          onChange={({ currentTarget: { value } }: ChangeEvent<HTMLInputElement>) =>
            ends.onChange(value && isoOf(value, zone))
          }
        />
        <NumberInput label="Budget per run" {...usd} {...form.getInputProps('budget.run_usd')} />
        <NumberInput label="Budget per day" {...usd} {...form.getInputProps('budget.daily_usd')} />
      </SimpleGrid>
    </Fieldset>
  )
}

/** A number of seconds, shown and typed in a unit of `size` seconds. */
const scaled = (props: ReturnType<JobForm['getInputProps']>, size: number) => ({
  ...props,
  value: Math.round((Number(props.value) / size) * 100) / 100,
  onChange: (value: number | string) => props.onChange(Math.round(Number(value) * size)),
})
