import { z } from 'zod'
import { collection } from '../collection.ts'
import type { Context } from '../context.ts'
import { latestEvent } from '../events/commit.ts'
import { conflict } from '../fault.ts'
import { standardKey, toPaddedBase64 } from '../secrets/signatures.ts'
import { countsOf } from './delivery-store.ts'
import { checkPatterns } from './event-types.ts'
import { Enabled, EventFilter, EventPatterns, Name, SecretHint } from './fields.ts'
import { checkFilter } from './filter.ts'
import { deliveryWork } from './kinds.ts'
import { secretPurpose } from './purposes.ts'

/** Text, or `whsec_` followed by base64 of 24 to 64 bytes, as in Standard Webhooks. */
export const Secret = z
  .string()
  .min(16)
  .max(200)
  .meta({ title: 'Secret', description: 'Leave blank to get a new one', format: 'secret' })

/** Webhooks send events to other services. */
export const webhooks = collection({
  noun: 'webhook',
  prefix: 'wh',
  path: '/api/webhooks',
  items: 'webhooks',
  owner: 'caller',
  summaries: {
    list: 'List outgoing webhooks, newest first',
    show: 'Get an outgoing webhook',
    create: 'Create an outgoing webhook; its secret is shown once',
    update: 'Change an outgoing webhook',
    remove: 'Delete an outgoing webhook with its deliveries',
  },
  events: { type: 'webhook', id: 'webhook_id' },
  table: {
    name: 'webhooks',
    columns: ['enabled', 'sealed_secret', 'sealed_old_secret', 'old_secret_until', 'disabled_reason', 'since'],
    packed: 'settings',
  },
  fields: {
    name: Name,
    url: z
      .url({ protocol: /^https?$/ })
      .max(2_000)
      .meta({
        title: 'URL',
        description: 'Private addresses must be listed in the daemon’s SERVICE_OUTBOUND_ALLOWLIST',
      }),
    events: EventPatterns,
    filter: EventFilter,
    enabled: Enabled,
    ordered: z.boolean().default(false).meta({
      title: 'Deliver in order',
      description: 'Each delivery waits until the previous one has succeeded or failed permanently',
    }),
  },
  once: { secret: Secret.optional() },
  state: {
    /** Why the daemon disabled it. */
    disabled_reason: z.string().nullable().default(null),
    /** Until then, deliveries are also signed with the previous secret. */
    old_secret_until: z.string().nullable().default(null),
  },
  hidden: {
    hint: z.string(),
    sealed_secret: z.string(),
    sealed_old_secret: z.string().nullable().default(null),
    since: z.number(),
  },
  derived: {
    secret: SecretHint,
    pending: z.int(),
    failed: z.int(),
    last_delivery_at: z.string().nullable(),
  },
  derive: async (context, { id, hint }) => ({
    ...(await countsOf(context, id)),
    secret: { configured: true as const, hint },
  }),
  async prepare(context, { next, before, sent }) {
    await checkPatterns(context, next.events)
    await checkFilter(next.filter)
    const secret = before ?? (await sealSecret(context, sent.secret ?? newSecret(context)))
    const { sealed_secret, hint } = secret
    if (before === null || (next.enabled && !before.enabled))
      return { sealed_secret, hint, since: await latestEvent(context), disabled_reason: null }
    return { sealed_secret, hint, since: before.since }
  },
  /** Pending deliveries are sent when it is enabled again. */
  also: (context, next, before) =>
    before !== null && next.enabled ? [deliveryWork(context, next, context.clock.now())] : [],
})

export type Webhook = z.output<typeof webhooks.Row>
export type StoredWebhook = NonNullable<Awaited<ReturnType<typeof webhooks.find>>>

/** A webhook with its secret, which is shown once. */
export const WebhookWithSecret = webhooks.Row.extend({ secret: z.string() })
export type WebhookWithSecret = z.output<typeof WebhookWithSecret>

/** A new random secret: `whsec_` and base64 of 24 bytes. */
export function newSecret({ secrets }: Context): string {
  const bytes = secrets.random(24).match(/../g) ?? []
  return `whsec_${toPaddedBase64(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)))}`
}

export async function sealSecret({ secrets }: Context, secret: string) {
  if (standardKey(secret).length === 0) throw conflict('The secret is empty')
  return { sealed_secret: await secrets.seal(secret, secretPurpose), hint: `…${secret.slice(-4)}` }
}

/** The enabled webhooks of all owners. */
export const enabledWebhooks = (host: Pick<Context, 'sql'>) => webhooks.table.list(host, 'id', { enabled: true })
