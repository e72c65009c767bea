import { z } from 'zod'
import { collection } from '../collection.ts'
import { browsers, replaceEndpoint } from './browser-store.ts'
import { line, PushSubscription } from './schema.ts'

/** Browsers that their owner is notified in. A browser has one subscription, of the user who signed in last. */
export const notifiedBrowsers = collection({
  noun: 'notified browser',
  prefix: 'push',
  path: '/api/notifications/browsers',
  items: 'browsers',
  owner: 'caller',
  summaries: { create: 'Notify a browser with its Web Push subscription' },
  events: { type: 'notified_browser', id: 'browser_id' },
  table: { of: browsers },
  fields: { name: line(100).min(1).meta({ title: 'Name' }) },
  once: { subscription: PushSubscription },
  hidden: { owner_id: z.string(), endpoint: z.string(), target: PushSubscription },
  prepare: async (_, { before, sent }) => {
    const target = sent.subscription ?? before?.target
    if (!target) throw new Error('a new browser has no subscription')
    return { endpoint: target.endpoint, target }
  },
  also: (_, next) => ({ first: [replaceEndpoint(next)], statements: [] }),
})
