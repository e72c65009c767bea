import { NativeSelect, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { MetricText } from '../../../runtime/monitoring/alert-text.ts'
import { useEndpoint, usePages } from '../../api/query.ts'
import { useIsAdmin } from '../../parts/administrators-only.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { List } from '../../parts/list.tsx'
import { ResourceForm } from '../../parts/resource-form.tsx'
import { type FieldProps, NumberField, TextField } from '../../parts/schema/fields.tsx'
import { Field } from '../../parts/schema/schema-form.tsx'
import { capitalized } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { Hint, Section } from '../../parts/typography.tsx'
import { entryLabels } from './labels.ts'

interface AlertDrawerProps {
  /** `new` or the id of an alert. */
  id: string
  close: () => void
}

export function AlertDrawer({ id, close }: AlertDrawerProps) {
  const mayChange = useIsAdmin() ?? false
  const data = useEndpoint('/api/monitoring/alerts', { query: { limit: 200 } }).data
  const alert = data?.alerts.find((one) => one.id === id) ?? null
  if (!data || (!alert && id !== 'new')) return null
  const { metrics } = data
  return (
    <FormDrawer title={alert ? alert.name : 'New alert'} close={close}>
      {({ leave }) => (
        <Stack gap="xl">
          {mayChange && (
            <ResourceForm
              path="/api/monitoring/alerts"
              noun="alert"
              verb="Create"
              item={alert}
              close={leave}
              start={{
                condition: 'cost_today > threshold',
                threshold: 5,
                delivery: { type: 'notification' },
              }}
              fields={({ condition }) => ({
                condition: (props) => <ConditionField {...props} metrics={metrics} />,
                threshold: (props) => <ThresholdField {...props} metric={simpleOf(condition, metrics)?.metric} />,
                delivery: (props) => <DeliveryField {...props} />,
                shared_with: false,
              })}
              layout={['name', 'condition', 'threshold', 'period_minutes', 'delivery', 'enabled']}
            />
          )}
          {alert && <History id={alert.id} />}
        </Stack>
      )}
    </FormDrawer>
  )
}

/** The metric and the direction of a condition such as `cost_today > threshold` or `cost_today`. */
function simpleOf(condition: unknown, metrics: readonly MetricText[]) {
  const [, name, direction = '>'] = /^(\w+)(?: ([<>]) threshold)?$/.exec(String(condition)) ?? []
  const metric = metrics.find((one) => one.name === name)
  return metric && { metric, direction }
}

/** A metric and a direction, or any expression. */
function ConditionField({ metrics, ...props }: FieldProps & { metrics: readonly MetricText[] }) {
  const { value, change, error } = props
  const simple = simpleOf(value, metrics)
  const [kind, setKind] = useState(simple ? 'metric' : 'expression')
  const system = useEndpoint('/api/monitoring/system').data
  const [first] = metrics
  const metric = simple?.metric.name ?? first?.name
  const direction = simple?.direction ?? '>'
  const set = (name: string | undefined, sign: string) => change(`${name} ${sign} threshold`, true)
  // Metrics that are unknown on this host are not offered.
  const unknown = [system?.cpu_pct === null && 'cpu_pct', system?.disk === null && 'disk_free_pct']
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label="Condition"
        data={[
          { value: 'metric', label: 'Metric' },
          { value: 'expression', label: 'Expression' },
        ]}
        value={kind}
        onChange={(next) => {
          setKind(next)
          if (next === 'metric' && !simple) set(metric, direction)
        }}
      />
      {kind === 'metric' ? (
        <>
          <NativeSelect
            label="Metric"
            data={metrics
              .filter(({ name }) => !unknown.includes(name))
              .map(({ name, title }) => ({ value: name, label: title }))}
            value={metric}
            error={error}
            onChange={({ currentTarget }) => set(currentTarget.value, direction)}
          />
          <NativeSelect
            label="Fires when it is"
            data={[
              { value: '>', label: 'above the threshold' },
              { value: '<', label: 'below the threshold' },
            ]}
            value={direction}
            onChange={({ currentTarget }) => set(metric, currentTarget.value)}
          />
        </>
      ) : (
        <TextField {...props} />
      )}
    </Stack>
  )
}

/** Without the noise of floating point: 0.07 × 100 is 7. */
const scaled = (value: number, scale: number) => Number((value * scale).toPrecision(12))

/** The threshold in the unit that people read: percent, not a share. */
function ThresholdField({ metric, ...props }: FieldProps & { metric: MetricText | undefined }) {
  const { value, change, label, schema } = props
  const { levels, scale = 1, unit } = metric ?? {}
  if (levels)
    return (
      <NativeSelect
        label={label}
        data={levels.map((level, at) => ({ value: String(at), label: capitalized(level) }))}
        value={String(value)}
        onChange={({ currentTarget }) => change(Number(currentTarget.value), true)}
      />
    )
  return (
    <NumberField
      {...props}
      schema={{ ...schema, ...(unit && { unit }) }}
      value={typeof value === 'number' ? scaled(value, scale) : value}
      change={(next) => change(typeof next === 'number' ? scaled(next, 1 / scale) : next)}
    />
  )
}

interface Delivery {
  signed?: boolean
  secret?: unknown
}

/** A stored secret is never shown, and sent only when another one was entered. */
function DeliveryField({ value, change, ...props }: FieldProps) {
  const { signed, ...delivery } = value as Delivery
  const stored = { configured: true, hint: null }
  return (
    <Field
      {...props}
      value={signed && !('secret' in delivery) ? { ...delivery, secret: stored } : delivery}
      change={(next, settled) => {
        const { secret, ...others } = next as Delivery
        change({ ...others, signed, ...(typeof secret !== 'object' && { secret }) }, settled)
      }}
    />
  )
}

function History({ id }: { id: string }) {
  const query = usePages('/api/monitoring/alerts/{id}/history', { params: { id } }, { size: 20 })
  return (
    <Section title="History">
      <List query={query} what="The history" items="history" empty="No history yet.">
        {({ id: entry, at, event, value_text, by, note }) => (
          <div key={entry} style={{ marginBottom: 8 }}>
            <Text size="sm">
              {entryLabels[event]}
              {by && ` by ${by}`} <Time at={at} />
            </Text>
            {(note || value_text) && (
              <Hint>
                {value_text && `Value: ${value_text}`}
                {value_text && note && ' · '}
                {note && <Note note={note} />}
              </Hint>
            )}
          </div>
        )}
      </List>
    </Section>
  )
}

/** The note of a snooze is the time at which it ends. */
function Note({ note }: { note: string }) {
  const [, until] = /^until (\S+)$/.exec(note) ?? []
  return until ? (
    <>
      ends <Time at={until} />
    </>
  ) : (
    note
  )
}
