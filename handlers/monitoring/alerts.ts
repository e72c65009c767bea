import { z } from 'zod'
import { endpointsOf, logOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { AlertEntry } from '../../runtime/monitoring/alert-schema.ts'
import { listEntries } from '../../runtime/monitoring/alert-store.ts'
import { MetricText, metricTexts, withText } from '../../runtime/monitoring/alert-text.ts'
import { acknowledgeAlert, alerts, resolveAlert, snoozeAlert } from '../../runtime/monitoring/alerts.ts'

export const { list, create, show, update, remove } = endpointsOf({
  ...alerts,
  more: { metrics: z.array(MetricText) },
  list: async (context, query) => ({ ...(await alerts.list(context, query)), metrics: metricTexts }),
})

export const acknowledge = verbOf(alerts, 'acknowledge', {
  summary: 'Acknowledge a firing alert',
  run: acknowledgeAlert,
})

export const resolve = verbOf(alerts, 'resolve', { summary: 'Resolve an alert, or end its snooze', run: resolveAlert })

export const snooze = verbOf(alerts, 'snooze', {
  summary: 'Silence an alert for some minutes',
  body: z.object({ minutes: z.int().min(1).max(43_200).meta({ title: 'Minutes' }) }),
  run: (context, id, { minutes }) => snoozeAlert(context, id, minutes),
})

export const history = logOf(alerts, 'history', {
  summary: 'List the history of an alert, newest first',
  item: AlertEntry,
  async rows(context, id, page) {
    const alert = await alerts.require(context, id)
    const { rows, total } = await listEntries(context, id, page)
    return { rows: rows.map((entry) => withText(alert, entry)), total }
  },
})
