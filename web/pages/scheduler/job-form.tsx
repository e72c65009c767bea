import { Anchor, Group, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from 'wouter'
import type { Job } from '../../../runtime/scheduler/schema.ts'
import type { TargetKind } from '../../../runtime/schedules/targets.ts'
import { useOptional } from '../../api/query.ts'
import { parsedScheduleQuery } from '../../api/scheduler.ts'
import { useApi } from '../../app/services.tsx'
import { useAgents } from '../../parts/agents.ts'
import { executionModeField } from '../../parts/execution-modes.ts'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { SkeletonRows } from '../../parts/list.tsx'
import { optionsFor, optionsOf } from '../../parts/options.ts'
import { ResourceForm } from '../../parts/resource-form.tsx'
import { type FieldProps, NumberField, ThingField } from '../../parts/schema/fields.tsx'
import type { Schema, Values } from '../../parts/schema/schema.ts'
import { type Fields, GroupField, SchemaForm } from '../../parts/schema/schema-form.tsx'
import { nameFrom } from '../../parts/text.ts'
import { useZone } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { readNewJob } from './new-job-path.ts'
import { ScheduleField } from './schedule-field.tsx'
import { isTarget, type TargetText, targets, useTargets } from './targets.tsx'
import { isoOf, wallOf } from './zone.ts'

interface JobDrawerProps {
  /** Null for a new one, which starts with the values in the address. */
  job: Job | null
  close: () => void
}

export function JobDrawer({ job, close }: JobDrawerProps) {
  const search = useSearch()
  return (
    <FormDrawer title={job ? job.name : 'New job'} close={close}>
      {({ leave }) =>
        job ? <JobForm job={job} close={leave} /> : <NewJob key={search} search={search} close={leave} />
      }
    </FormDrawer>
  )
}

/** Its schedule is parsed before the form is shown, so that the form opens without unsaved changes. */
function NewJob({ search, close }: { search: string; close: () => void }) {
  const { when, what, name, copy, schedule = null } = readNewJob(search)
  const original = useOptional('/api/scheduler/jobs/{id}', { params: { id: copy || 'none' } })
  const parsed = useQuery(parsedScheduleQuery(useApi(), when))
  if ((copy && original.isPending) || (when && !parsed.isFetched)) return <SkeletonRows count={6} />
  const start = original.data
    ? { ...copyOf(original.data), name: `${original.data.name} (copy)` }
    : { goal: what, name, delivery: { channel: 'chat' }, schedule: parsed.data?.schedule ?? schedule }
  return <JobForm job={null} start={start} when={when} close={close} />
}

/** The secret of its delivery is not part of a copy: the daemon does not return it. */
const copyOf = ({ delivery: { secret: _, ...delivery }, agent_id, ...job }: Job): Values => ({
  ...job,
  delivery,
  ...(agent_id && { agent_id }),
})

interface JobFormProps extends JobDrawerProps {
  start?: Values
  /** The schedule in plain English. */
  when?: string
}

function JobForm({ job, start = {}, when = '', close }: JobFormProps) {
  return (
    <ResourceForm
      path="/api/scheduler/jobs"
      stale={['/api/scheduler']}
      noun="job"
      item={job}
      start={start}
      close={close}
      complete={({ name, ...values }) => ({ ...values, name: String(name).trim() || nameOf(values) })}
      effect={false}
      fields={(values, item, set) => ({
        target: (props) => <TargetField {...props} isNew={item === null} set={set} />,
        ...(job ? {} : { name: { default: nameOf(values) || 'Morning briefing' } }),
        schedule: (props) => <ScheduleField {...props} text={when} />,
        ...taskFields(values, item !== null),
        ...moreFields,
      })}
      layout={[
        ...['target', 'goal', ['agent_id', 'model'], 'execution_mode', 'name', 'schedule', 'tags'],
        { title: 'More: delivery, conditions, retries, limits', folded: true, fields: more },
      ]}
    />
  )
}

const nameOf = ({ goal }: Values) => nameFrom(String(goal ?? ''))

const more = [
  'delivery',
  'condition',
  {
    title: 'Failures and missed runs',
    fields: ['retry', 'misfire', ['overlap', 'auto_pause_after']],
  },
  {
    title: 'Limits',
    fields: [['timeout_seconds', 'jitter_seconds'], ['max_runs', 'ends_at'], 'budget'],
  },
]

/** Only an agent takes these from the job; another target has its own, and its name as the task. */
function taskFields({ target }: Values, exists: boolean): Fields {
  const { kind, id } = target as Job['target']
  const { otherwise = '' } = isTarget(kind) ? targets[kind] : {}
  const own = kind === 'agent'
  return {
    ...((otherwise === null || (!own && id)) && { goal: false }),
    ...(own
      ? {
          agent_id: (props) => <AgentField {...props} required={exists} />,
          execution_mode: executionModeField,
        }
      : { agent_id: false, model: false, execution_mode: false }),
  }
}

const moreFields: Fields = {
  delivery: (props) => (
    <GroupField
      {...props}
      label="Delivery of the result"
      fields={deliveryFields((props.value as Job['delivery']).channel)}
      layout={[['channel', 'format']]}
    />
  ),
  retry(props) {
    const retries = (props.value as Job['retry']).max_attempts > 1
    const fields = { base_delay: retries, strategy: retries }
    return <SchemaForm {...props} fields={fields} layout={[['max_attempts', 'base_delay']]} />
  },
  misfire(props) {
    const runs = (props.value as Job['misfire']).policy !== 'skip'
    const fields: Fields = {
      window_seconds: runs && ((seconds) => <ScaledField {...seconds} unit="hours" size={3_600} />),
    }
    return <SchemaForm {...props} fields={fields} layout={[['policy', 'window_seconds']]} />
  },
  timeout_seconds: (props) => <ScaledField {...props} unit="minutes" size={60} />,
  ends_at: (props) => <EndField {...props} />,
  budget: (props) => <SchemaForm {...props} layout={[['run_usd', 'daily_usd']]} />,
}

/** Where the result goes depends on the channel; a channel of a messenger is named by its id. */
function deliveryFields(channel: string): Fields {
  const isWebhook = channel === 'webhook'
  const to = receivers[channel] ?? {
    title: 'Chat',
    description: 'Its ID on the platform. Leave blank for the paired owner',
  }
  return {
    to: channel !== 'none' && !isWebhook && { 'x-format': 'line', labels: { null: '' }, ...to },
    url: isWebhook && { format: 'uri', labels: { null: 'https://example.com/hook' } },
    secret: isWebhook,
    ...(channel === 'none' && { format: false }),
  }
}

const receivers: Record<string, Schema> = {
  email: {
    title: 'Addresses',
    description: 'Separated by commas. Leave blank for the sender’s own address',
  },
  chat: {
    title: 'Conversation',
    'x-format': 'conversation',
    labels: { null: 'One conversation with all results of this job' },
  },
}

interface TargetFieldProps extends FieldProps {
  isNew: boolean
  set: (part: Values) => void
}

/** What the job starts: an agent with a task, or something that exists. */
function TargetField({ value, errors, isNew, set }: TargetFieldProps) {
  const { kind, id } = value as Job['target']
  const items = useTargets(kind)
  const target = isTarget(kind) ? targets[kind] : null
  const choose = (next: TargetKind) => {
    // Where the task is not asked for, the daemon's message must not be about it.
    const goal = isTarget(next) && targets[next].otherwise === null ? targets[next].goal('').trim() : ''
    set({
      target: { kind: next, id: null },
      ...((goal || target) && { goal }),
      execution_mode: 'auto',
      model: null,
    })
  }
  return (
    <>
      <Group grow align="flex-start">
        <Select
          label="Starts"
          data={[{ value: 'agent', label: 'An agent with a task' }, ...optionsOf(targets)]}
          value={kind}
          error={errors.kind}
          disabled={!isNew}
          allowDeselect={false}
          onChange={(next) => next && choose(next as TargetKind)}
        />
        {target && (
          <Select
            label={target.field}
            data={optionsFor(items)}
            value={id}
            error={errors.id}
            searchable
            {...emptyOf(target)}
            onChange={(next) => {
              const item = items.find((one) => one.id === next)
              set({ target: { kind, id: next }, goal: item ? target.goal(item.name) : '' })
            }}
          />
        )}
      </Group>
      {target && <Hint mt="xs">{id ? target.hint : (target.otherwise ?? target.hint)}</Hint>}
    </>
  )
}

const emptyOf = ({ otherwise }: TargetText) => (otherwise === null ? {} : { placeholder: 'A new one', clearable: true })

/** The agent, and the tools that it may use. */
function AgentField(props: FieldProps) {
  const agents = useAgents()
  const chosen = agents.find(({ id, is_default }) => (props.value ? id === props.value : is_default))
  const schema = { ...props.schema, labels: { null: chosen?.name ?? 'Default agent' } }
  return (
    <>
      <ThingField {...props} schema={schema} />
      {chosen && (
        <Hint mt={4}>
          {chosen.tools.allow.includes('*') ? 'All tools' : chosen.tools.allow.join(', ') || 'No tools'}
          {chosen.tools.deny.length > 0 && ` except ${chosen.tools.deny.join(', ')}`}, as set for{' '}
          <Anchor component={Link} href={`/agents/${chosen.id}`} inherit>
            {chosen.name}
          </Anchor>
        </Hint>
      )}
    </>
  )
}

interface ScaledFieldProps extends FieldProps {
  unit: string
  /** Seconds per unit. */
  size: number
}

/** A number of seconds in a larger unit. */
const ScaledField = ({ unit, size, ...props }: ScaledFieldProps) => (
  <NumberField
    {...props}
    schema={{
      ...props.schema,
      type: 'number',
      unit,
      minimum: 0,
      maximum: (props.schema.maximum ?? Number.POSITIVE_INFINITY) / size,
    }}
    value={Math.round((Number(props.value) / size) * 100) / 100}
    change={(next) => props.change(next === undefined ? next : Math.round(Number(next) * size))}
  />
)

/** On the wall clock of the profile. */
function EndField({ label, value, change, error }: FieldProps) {
  const zone = useZone()
  return (
    <TextInput
      type="datetime-local"
      label={label}
      error={error}
      value={typeof value === 'string' ? wallOf(Date.parse(value), zone) : ''}
      onChange={({ currentTarget }) => change(currentTarget.value ? isoOf(currentTarget.value, zone) : null)}
    />
  )
}
