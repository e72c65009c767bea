import { NativeSelect, SegmentedControl, Stack, Text, Textarea, Title } from '@mantine/core'
import type { MetricName, NewAlertDelivery } from '../../../runtime/monitoring/alert-schema.ts'
import type { MetricText } from '../../../runtime/monitoring/alert-text.ts'
import type { Alert } from '../../../runtime/monitoring/alerts.ts'
import { useEndpoint, usePages } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { useIsAdmin } from '../../parts/administrators-only.tsx'
import { announce } from '../../parts/announce.ts'
import { changesTo, EntityForm, inputsOf, required, useApiForm } from '../../parts/form.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { List } from '../../parts/list.tsx'
import { capitalized } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { entryLabels } from './labels.ts'

interface FormProps {
  /** Null for a new alert. */
  alert: Alert | null
  metrics: readonly MetricText[]
  close: () => void
}

export function AlertDrawer({ alert, metrics, close }: FormProps) {
  const mayChange = useIsAdmin() ?? false
  return (
    <FormDrawer title={alert ? alert.name : 'New alert'} close={close}>
      {({ leave }) => (
        <Stack gap="xl">
          {mayChange && <AlertForm alert={alert} metrics={metrics} close={leave} />}
          {alert && <History id={alert.id} />}
        </Stack>
      )}
    </FormDrawer>
  )
}

type DeliveryType = NewAlertDelivery['type']

interface Values extends Record<string, unknown> {
  name: string
  kind: 'metric' | 'expression'
  metric: MetricName
  direction: '>' | '<'
  condition: string
  /** In the unit that people read: percent, not a share. */
  threshold: number
  period_minutes: number
  delivery: DeliveryType
  url: string
  secret: string
  to: string
  channel_id: string
  enabled: boolean
}

/** A condition such as `cost_today > threshold` or `cost_today`, which the form shows as a metric and a direction. */
const simple = /^(\w+)(?: ([<>]) threshold)?$/

function valuesOf(alert: Alert | null, metrics: readonly MetricText[]): Values {
  const [, metric = '', direction] = simple.exec(alert?.condition ?? 'cost_today > threshold') ?? []
  const text = metrics.find(({ name }) => name === metric)
  const isSimple = text !== undefined
  const delivery = alert?.delivery
  return {
    name: alert?.name ?? '',
    kind: isSimple ? 'metric' : 'expression',
    metric: isSimple ? (metric as MetricName) : 'cost_today',
    direction: direction === '<' ? '<' : '>',
    condition: alert?.condition ?? '',
    threshold: scaled(alert?.threshold ?? 5, text?.scale ?? 1),
    period_minutes: alert?.period_minutes ?? 5,
    delivery: delivery?.type ?? 'notification',
    url: delivery?.type === 'webhook' ? delivery.url : '',
    secret: '',
    to: delivery?.type === 'email' ? delivery.to.join(', ') : '',
    channel_id: delivery?.type === 'channel' ? delivery.channel_id : '',
    enabled: alert?.enabled ?? true,
  }
}

/** Without the noise of floating point: 0.07 × 100 is 7. */
const scaled = (value: number, scale: number) => Number((value * scale).toPrecision(12))

const scaleOf = ({ kind, metric }: Values, metrics: readonly MetricText[]) =>
  kind === 'metric' ? (metrics.find(({ name }) => name === metric)?.scale ?? 1) : 1

const bodyOf = (values: Values, { alert: old, metrics }: Pick<FormProps, 'alert' | 'metrics'>) => ({
  name: values.name,
  condition: conditionOf(values, old, metrics),
  threshold: scaled(values.threshold, 1 / scaleOf(values, metrics)),
  period_minutes: values.period_minutes,
  enabled: values.enabled,
  delivery: deliveryOf(values, old),
})

/** The old text if it means the same: a changed condition would end the alert's state. */
function conditionOf(
  { kind, metric, direction, condition }: Values,
  old: Alert | null,
  metrics: readonly MetricText[],
): string {
  if (kind === 'expression') return condition
  const shown = valuesOf(old, metrics)
  const isSame = shown.kind === kind && shown.metric === metric && shown.direction === direction
  return old && isSame ? old.condition : `${metric} ${direction} threshold`
}

function deliveryOf({ delivery, url, secret, to, channel_id }: Values, old: Alert | null): NewAlertDelivery {
  if (delivery === 'channel') return { type: delivery, channel_id, to: recipientOf(old, channel_id) }
  if (delivery === 'webhook') return { type: delivery, url, ...(secret && { secret }) }
  if (delivery !== 'email') return { type: 'notification' }
  const addresses = to.split(',').map((address) => address.trim())
  return { type: 'email', to: addresses.filter((address) => address !== '') }
}

/** The chat, room or address that the API was given; null is the channel's paired owner. */
function recipientOf(old: Alert | null, channel_id: string): string | null {
  const delivery = old?.delivery
  return delivery?.type === 'channel' && delivery.channel_id === channel_id ? (delivery.to ?? null) : null
}

/** The form field for an error path of the API. */
function fieldOf(path: string): string {
  if (path.startsWith('delivery.to')) return 'to'
  return path.startsWith('delivery.') ? path.slice('delivery.'.length) : path
}

const deliveries: Record<DeliveryType, string> = {
  notification: 'In hearthd only',
  webhook: 'In hearthd and by webhook',
  email: 'In hearthd and by email',
  channel: 'In hearthd and on a channel',
}

const options = (labels: Record<string, string>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

function AlertForm({ alert, metrics, close }: FormProps) {
  const api = useApi()
  const known = useEndpoint('/api/monitoring/system').data
  const channels = useEndpoint('/api/channels').data?.channels ?? []
  const form = useApiForm({
    initial: valuesOf(alert, metrics),
    save: (values, _, initial) =>
      alert
        ? api.put('/api/monitoring/alerts/{id}', {
            params: { id: alert.id },
            body: changesTo(bodyOf(values, { alert, metrics }), bodyOf(initial, { alert, metrics })),
          })
        : api.post('/api/monitoring/alerts', { body: bodyOf(values, { alert, metrics }) }),
    stale: ['/api/monitoring/alerts'],
    saved(saved) {
      announce(`The alert ${saved.name} was saved`)
      close()
    },
    fieldOf,
  })
  const remove = useChange(
    (api) => api.delete('/api/monitoring/alerts/{id}', { params: { id: alert?.id ?? '' } }),
    { stale: ['/api/monitoring/alerts'], done: close },
  )
  const { values } = form
  const { text, number, password, toggle } = inputsOf(form)
  const offered = metrics.filter(({ name }) => isKnown(name, known))
  const chosen = values.kind === 'metric' ? metrics.find(({ name }) => name === values.metric) : undefined
  return (
    <EntityForm
      form={form}
      verb={alert ? 'Save' : 'Create'}
      close={close}
      remove={alert ? { name: alert.name, what: 'alert', run: remove as never } : false}
    >
      {text('name', 'Name', { ...required, 'data-autofocus': alert === null } as object)}
      <SegmentedControl
        aria-label="Condition"
        data={[
          { value: 'metric', label: 'Metric' },
          { value: 'expression', label: 'Expression' },
        ]}
        {...form.getInputProps('kind')}
      />
      {values.kind === 'metric' ? (
        <>
          <NativeSelect
            label="Metric"
            data={offered.map(({ name, title }) => ({ value: name, label: title }))}
            {...form.getInputProps('metric')}
            error={form.errors.condition}
          />
          <NativeSelect
            label="Fires when it is"
            data={[
              { value: '>', label: 'above the threshold' },
              { value: '<', label: 'below the threshold' },
            ]}
            {...form.getInputProps('direction')}
          />
        </>
      ) : (
        <Textarea
          label="Expression"
          description={`JSONata with threshold, ${metrics.map(({ name }) => name).join(', ')}. The alert fires if the result is true or a number above the threshold`}
          autosize
          minRows={2}
          spellCheck={false}
          {...form.getInputProps('condition')}
          {...required}
        />
      )}
      {chosen?.levels ? (
        <NativeSelect
          label="Threshold"
          data={chosen.levels.map((level, at) => ({ value: String(at), label: capitalized(level) }))}
          value={String(values.threshold)}
          onChange={({ target }) => form.setFieldValue('threshold', Number(target.value))}
        />
      ) : (
        number('threshold', 'Threshold', {
          allowDecimal: true,
          suffix: chosen?.unit ? ` ${chosen.unit}` : '',
          ...required,
        })
      )}
      {number('period_minutes', 'Period in minutes', {
        min: 1,
        max: 1_440,
        description:
          'Failures are counted over this period; other metrics must stay past the threshold for the whole period',
        ...required,
      })}
      <NativeSelect label="Notify" data={options(deliveries)} {...form.getInputProps('delivery')} />
      {values.delivery === 'webhook' && (
        <>
          {text('url', 'URL', { type: 'url', placeholder: 'https://', ...required })}
          {password('secret', 'Secret', {
            description:
              alert?.delivery.type === 'webhook' && alert.delivery.signed
                ? 'A secret is stored. Leave empty to keep it'
                : 'Optional. Signs the messages with Standard Webhooks',
          })}
        </>
      )}
      {values.delivery === 'email' &&
        text('to', 'Addresses', {
          description: 'Separated by commas. Set up the mail server in Settings',
          ...required,
        })}
      {values.delivery === 'channel' && (
        <NativeSelect
          label="Channel"
          description={`The message is sent to ${recipientOf(alert, values.channel_id) ?? 'its paired owner'}`}
          data={[
            { value: '', label: 'Choose a channel' },
            ...channels.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          {...form.getInputProps('channel_id')}
          {...required}
        />
      )}
      {toggle('enabled', 'Enabled')}
    </EntityForm>
  )
}

/** Metrics that are unknown on this host are not offered. */
function isKnown(metric: string, system: { cpu_pct: number | null; disk: unknown } | undefined): boolean {
  if (metric === 'cpu_pct') return system?.cpu_pct !== null
  return metric !== 'disk_free_pct' || system?.disk !== null
}

function History({ id }: { id: string }) {
  const query = usePages('/api/monitoring/alerts/{id}/history', { params: { id } }, { size: 20 })
  return (
    <section aria-label="History">
      <Title order={3} size="h6" mb="xs">
        History
      </Title>
      <List
        query={query}
        what="The history"
        items={({ pages }) => pages.flatMap(({ history }) => history)}
        empty="No history yet."
      >
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
    </section>
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
