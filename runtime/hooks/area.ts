import { defineArea } from '../area.ts'
import { loadOnce } from '../load-once.ts'
import { day, iso } from '../time.ts'
import { headersPurpose, secretPurpose, tokenPurpose } from './purposes.ts'

/** How long deliveries and runs are kept: all for two days, which is longer than senders retry. */
const kept = { all: 2 * day, some: 30 * day, count: 10_000 }

const idle = { nextDue: async () => null, clockSetBack: async () => undefined }

// Asked in each tick.
const webhookEvents = loadOnce(async () => (await import('./webhook-consumer.ts')).webhookEvents)
const hookEvents = loadOnce(async () => (await import('./hook-consumer.ts')).hookEvents)

const listedLogs = async () => [
  (await import('./hook-run-store.ts')).hookRuns,
  (await import('./received-store.ts')).receivedMessages,
]

export const hooksArea = defineArea({
  name: 'hooks',
  events: async () => (await import('./events.ts')).hooksEvents,
  tables: ['hooks', 'hook_runs', 'webhooks', 'webhook_deliveries', 'incoming_webhooks', 'incoming_deliveries'],
  owned_tables: ['hooks', 'webhooks', 'incoming_webhooks'],
  sealed: [
    { table: 'hooks', column: 'settings', purpose: headersPurpose },
    { table: 'webhooks', column: 'sealed_secret', purpose: secretPurpose },
    { table: 'webhooks', column: 'sealed_old_secret', purpose: secretPurpose },
    { table: 'incoming_webhooks', column: 'sealed_token', purpose: tokenPurpose },
    { table: 'incoming_webhooks', column: 'sealed_secret', purpose: secretPurpose },
  ],
  work: {
    'hooks.webhook': async () => (await import('./deliver.ts')).webhookDeliver,
    'hooks.run': async () => (await import('./hook-run.ts')).hookRun,
    'hooks.incoming': async () => (await import('./incoming-run.ts')).incomingRun,
  },
  sources: [
    {
      queueDue: async (host) => (await webhookEvents()).queueDue(host),
      ...idle,
    },
    {
      queueDue: async (host) => (await hookEvents()).queueDue(host),
      ...idle,
    },
  ],
  async automations(context) {
    const [{ listAutomations }, logs] = await Promise.all([import('./log-store.ts'), listedLogs()])
    return (await Promise.all(logs.map((log) => listAutomations(context, log)))).flat()
  },
  async runs(context, filter) {
    const [{ summarizeLog }, logs] = await Promise.all([import('./log-store.ts'), listedLogs()])
    return (await Promise.all(logs.map((log) => summarizeLog(context, filter, log)))).flat()
  },
  gate: async (context, intent) => (await import('./gate.ts')).askHooks(context, intent),
  async prune(host) {
    const { pruneDeliveries } = await import('./delivery-store.ts')
    const { pruneReceived } = await import('./received-store.ts')
    const { pruneRuns } = await import('./hook-run-store.ts')
    const now = host.clock.now()
    const limits = { before: iso(now - kept.some), recent: iso(now - kept.all), count: kept.count }
    return [...pruneRuns(limits), ...pruneDeliveries(limits), ...pruneReceived(limits)]
  },
})
