import { z } from 'zod'
import { conflict } from '../fault.ts'
import type { Host } from '../host.ts'
import { labelOf } from '../label.ts'
import { processState } from '../process-state.ts'
import type { StoredChannel } from './channel-store.ts'
import { credentialsPurpose } from './kinds.ts'
import type { Connection, Platform, PlatformName, Reception } from './platform.ts'
import { loadPlatform } from './platforms/index.ts'
import type { Channel, PlatformInfo, ShownCredential } from './schema.ts'
import { publicUrl } from './settings.ts'

/** Platforms that replace the real ones in this process, for tests. */
export const substitutes = processState(() => new Map<PlatformName, Platform>())

export const platformOf = async (host: Pick<Host, 'process'>, name: PlatformName): Promise<Platform> =>
  substitutes(host).get(name) ?? (await loadPlatform(name))

type Field = PlatformInfo['credentials'][number]

/** The credentials that a platform needs, from its schema. */
export function fieldsOf({ credentials }: Pick<Platform, 'credentials'>): Field[] {
  const { properties = {}, required = [] } = z.toJSONSchema(credentials, { io: 'input' })
  return Object.entries(properties).map(([name, property]) => {
    const { title, description, secret, advanced } = property as Partial<Field>
    return {
      name,
      title: title ?? labelOf(name),
      description: description ?? '',
      secret: secret === true,
      required: required.includes(name),
      advanced: advanced === true,
    }
  })
}

/** Whether this daemon can get the messages, so that the platform need not reach it. */
export const fetchesMessages = ({ listen }: Platform): boolean => listen !== undefined

/** How the messages of a channel arrive: at its webhook address, or over a connection of this daemon. */
export const arrivalOf = (platform: Platform, reception: Reception): Channel['arrival'] =>
  fetchesMessages(platform) && !platform.uses_webhook?.(reception) ? 'connection' : 'webhook'

/** The credentials of a channel that are set, without the secrets. */
export const maskedCredentials = ({ shown_credentials }: Pick<StoredChannel, 'shown_credentials'>) =>
  Object.fromEntries(
    Object.entries(shown_credentials).flatMap(([name, { configured, value, hint }]) =>
      configured ? [[name, value ?? hint ?? '']] : [],
    ),
  )

export const describePlatform = (platform: Platform): PlatformInfo => {
  const { name, title, setup_steps, limits, has } = platform
  return {
    name,
    title,
    setup_steps: [...setup_steps],
    credentials: fieldsOf(platform),
    limits,
    has,
    fetches_messages: fetchesMessages(platform),
  }
}

export const webhookPath = ({ id, platform }: Pick<StoredChannel, 'id' | 'platform'>): string =>
  `/api/channels/${platform}/webhook/${id}`

/** The webhook address that the platform calls; null until the public base URL is set. */
export const webhookUrl = (host: Host, channel: Pick<StoredChannel, 'id' | 'platform'>) =>
  publicUrl(host, webhookPath(channel))

export async function openCredentials(
  { secrets }: Pick<Host, 'secrets'>,
  { sealed_credentials }: Pick<StoredChannel, 'sealed_credentials'>,
): Promise<Record<string, string>> {
  if (sealed_credentials === null) return {}
  return JSON.parse(await secrets.open(sealed_credentials, credentialsPurpose)) as Record<string, string>
}

export const sealCredentials = ({ secrets }: Pick<Host, 'secrets'>, values: Record<string, string>) =>
  secrets.seal(JSON.stringify(values), credentialsPurpose)

/** Credentials as the API returns them: only the last characters of a secret. */
export function shownCredentials(platform: Platform, values: Record<string, string>): Record<string, ShownCredential> {
  const entries = fieldsOf(platform).map(({ name, secret }): [string, ShownCredential] => {
    const value = values[name]
    if (value === undefined) return [name, { configured: false, hint: null, value: null }]
    if (!secret) return [name, { configured: true, hint: null, value }]
    return [name, { configured: true, hint: value.length < 12 ? '…' : `…${value.slice(-4)}`, value: null }]
  })
  return Object.fromEntries(entries)
}

/** A channel's platform and decrypted credentials. Throws a `Fault` if required credentials are missing. */
export async function connect(
  host: Host,
  channel: StoredChannel,
): Promise<{ platform: Platform; connection: Connection }> {
  const platform = await platformOf(host, channel.platform)
  const parsed = platform.credentials.safeParse(await openCredentials(host, channel))
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map(({ path }) => path.join('.')))]
    throw conflict(`The channel ${channel.name} is missing credentials: ${names.join(', ')}`)
  }
  return {
    platform,
    connection: {
      channel_id: channel.id,
      credentials: parsed.data as Record<string, string>,
      webhook_url: (await webhookUrl(host, channel)) ?? '',
    },
  }
}

const replyPurpose = 'channel reply'

export const sealReply = async (
  { secrets }: Pick<Host, 'secrets'>,
  reply: Readonly<Record<string, string>>,
): Promise<string | null> =>
  Object.keys(reply).length === 0 ? null : secrets.seal(JSON.stringify(reply), replyPurpose)

export const openReply = async (
  { secrets }: Pick<Host, 'secrets'>,
  sealed: string | null,
): Promise<Record<string, string> | null> =>
  sealed === null ? null : (JSON.parse(await secrets.open(sealed, replyPurpose)) as Record<string, string>)
