import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { Deleted, listOf, pageQuery } from '../../runtime/http/page.ts'
import { Alert, AlertChange, AlertEntry, NewAlert } from '../../runtime/monitoring/alert-schema.ts'
import { listEntries } from '../../runtime/monitoring/alert-store.ts'
import { MetricText, metricTexts, withText } from '../../runtime/monitoring/alert-text.ts'
import {
  acknowledgeAlert,
  addAlert,
  changeAlert,
  listAlerts,
  removeAlert,
  requireAlert,
  resolveAlert,
  showAlertTo,
  snoozeAlert,
} from '../../runtime/monitoring/alerts.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/monitoring/alerts',
  owner: 'house',
  summary: 'List alerts with their states',
  query: pageQuery(),
  returns: listOf('alerts', Alert).extend({ metrics: z.array(MetricText) }),
  async run({ query: { limit, offset } }, context) {
    const alerts = await listAlerts(context)
    const page = { alerts: alerts.slice(offset, offset + limit), total: alerts.length, limit, offset }
    return { ...page, metrics: metricTexts }
  },
})

export const create = endpoint({
  method: 'POST',
  path: '/api/monitoring/alerts',
  owner: 'house',
  summary: 'Create an alert',
  access: 'admin',
  body: NewAlert,
  returns: Alert,
  status: 201,
  run: ({ body }, context) => addAlert(context, body),
})

export const show = endpoint({
  method: 'GET',
  path: '/api/monitoring/alerts/{id}',
  owner: 'house',
  summary: 'Get an alert',
  returns: Alert,
  run: async ({ params }, context) => showAlertTo(context, await requireAlert(context, params.id)),
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/monitoring/alerts/{id}',
  owner: 'house',
  summary: 'Change an alert',
  access: 'admin',
  body: AlertChange,
  before: ({ params }, context) => requireAlert(context, params.id),
  returns: Alert,
  run: ({ params, body }, context) => changeAlert(context, params.id, body),
})

export const remove = endpoint({
  method: 'DELETE',
  path: '/api/monitoring/alerts/{id}',
  owner: 'house',
  summary: 'Delete an alert and its history',
  access: 'admin',
  returns: Deleted,
  async run({ params }, context) {
    await removeAlert(context, params.id)
    return { deleted: true, id: params.id }
  },
})

export const acknowledge = endpoint({
  method: 'POST',
  path: '/api/monitoring/alerts/{id}/acknowledge',
  owner: 'house',
  summary: 'Acknowledge a firing alert',
  access: 'admin',
  returns: Alert,
  run: ({ params }, context) => acknowledgeAlert(context, params.id),
})

export const resolve = endpoint({
  method: 'POST',
  path: '/api/monitoring/alerts/{id}/resolve',
  owner: 'house',
  summary: 'Resolve an alert, or end its snooze',
  access: 'admin',
  returns: Alert,
  run: ({ params }, context) => resolveAlert(context, params.id),
})

export const snooze = endpoint({
  method: 'POST',
  path: '/api/monitoring/alerts/{id}/snooze',
  owner: 'house',
  summary: 'Silence an alert for some minutes',
  access: 'admin',
  body: z.object({ minutes: z.number().int().min(1).max(43_200) }),
  returns: Alert,
  run: ({ params, body }, context) => snoozeAlert(context, params.id, body.minutes),
})

export const history = endpoint({
  method: 'GET',
  path: '/api/monitoring/alerts/{id}/history',
  owner: 'house',
  summary: 'List the history of an alert, newest first',
  query: pageQuery(),
  returns: listOf('history', AlertEntry),
  async run({ params, query }, context) {
    const alert = await requireAlert(context, params.id)
    const { history, total } = await listEntries(context, params.id, query)
    return { history: history.map((entry) => withText(alert, entry)), total, ...query }
  },
})
