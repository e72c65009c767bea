import { z } from 'zod'
import type { Host } from '../host.ts'
import { reference } from '../references.ts'
import { defineSection, readSection } from '../sections/section.ts'

/** An origin with an optional path and no trailing slash, such as `https://hearth.example.com`. */
const BaseUrl = z
  .string()
  .trim()
  .max(500)
  .overwrite((text) => (text.endsWith('/') ? text.slice(0, -1) : text))
  .refine((text) => {
    if (text === '') return true
    const url = URL.parse(text)
    return (
      url !== null &&
      (url.protocol === 'https:' || url.protocol === 'http:') &&
      url.search === '' &&
      url.hash === '' &&
      url.username === '' &&
      url.password === ''
    )
  }, 'must be an address such as https://hearth.example.com, or empty')

export const channelSettings = defineSection({
  name: 'channels',
  title: 'the public address for messengers',
  access: 'admin',
  schema: z.object({
    public_base_url: BaseUrl.meta({
      title: 'Public base URL',
      description:
        'The address at which this daemon can be reached from the internet, for example https://hearth.example.com. hearthd does not set this up: use a reverse proxy or a tunnel with HTTPS',
    }),
  }),
  defaults: () => ({ public_base_url: '' }),
  kept_on_reset: true,
})

/** The address of a path of this daemon for callers on the internet; null until the public base URL is set. */
export async function publicUrl(host: Host, path: string): Promise<string | null> {
  const { public_base_url } = await readSection(host, channelSettings)
  return public_base_url === '' ? null : public_base_url + path
}

export const Notification = z.enum(['approval', 'job_failed', 'budget', 'alert', 'pairing', 'permissions'])
export type Notification = z.output<typeof Notification>

const texts: Record<Notification, string> = {
  approval: 'An approval is waiting for you',
  job_failed: 'A job fails',
  budget: 'A budget is nearly or fully used',
  alert: 'An alert fires',
  pairing: 'Someone asks to be paired',
  permissions: 'Actions ran under your permissions, once a day',
}
const notified = Notification.meta({ labels: texts })

/** Notifications of one user. */
export const channelNotifications = defineSection({
  name: 'notifications',
  title: 'the notifications on a channel',
  per_user: true,
  schema: z.object({
    channel_id: reference('channel', 64)
      .nullable()
      .meta({
        title: 'Send to',
        description: 'You must be paired on this channel. Your quiet hours apply',
        labels: { null: 'No channel' },
      }),
    events: z.array(notified).max(Notification.options.length).meta({ title: 'Notify me when' }),
  }),
  defaults: () => ({ channel_id: null, events: [...Notification.options] }),
})
