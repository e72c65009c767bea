import { z } from 'zod'
import type { Context } from '../context.ts'
import { invalidField } from '../fault.ts'
import type { Host } from '../host.ts'
import type { HttpCredentials } from '../ports/browser.ts'
import type { Subset } from '../sections/merge.ts'
import { sectionPurpose } from '../sections/purposes.ts'
import { changeSection, defineSection, readSection } from '../sections/section.ts'

const purpose = sectionPurpose('browser_credentials')

const site = {
  origin: z
    .string()
    .trim()
    .max(300)
    .refine((text) => originOf(text) !== null, 'must be an address such as https://example.com')
    .meta({ title: 'Site', description: 'For example https://example.com' }),
  username: z.string().max(320).meta({ title: 'User name' }),
}

function originOf(text: string): string | null {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) ? url.origin : null
}

const Stored = z.object({ sites: z.array(z.object({ ...site, sealed_password: z.string() })).max(200) })

const Sent = z.object({
  sites: z
    .array(
      z.object({
        ...site,
        password: z.string().min(1).max(1_000).optional().meta({
          title: 'Password',
          description: 'Stored encrypted and never shown. Without it the stored one of the site is kept',
          format: 'secret',
        }),
      }),
    )
    .max(200),
})

const Shown = z.object({ sites: z.array(z.object({ ...site, password: z.object({ configured: z.boolean() }) })) })

/** A reset of the general settings keeps them: nobody could enter the passwords again. */
export const browserCredentials = defineSection({
  name: 'browser_credentials',
  title: 'the HTTP sign-ins of the browser',
  access: 'admin',
  schema: Stored,
  sent: Sent,
  defaults: (): z.output<typeof Stored> => ({ sites: [] }),
  shown: {
    schema: Shown,
    of: ({ sites }) => ({
      sites: sites.map(({ origin, username }) => ({ origin, username, password: { configured: true } })),
    }),
  },
  secrets: { sites: 'sites' },
  kept_on_reset: true,
})

/** Replaces the sites. A site without a password keeps its own, which is for the same origin and user name only. */
export async function changeCredentials(context: Context, { sites }: Subset<z.output<typeof Sent>>): Promise<void> {
  if (!sites) return
  const stored = await readSection(context, browserCredentials)
  const origins = sites.map(({ origin }) => originOf(origin) ?? origin)
  const sealed = sites.map(async ({ username, password }, index) => {
    const origin = origins[index] ?? ''
    if (origins.indexOf(origin) !== index) throw invalidField(`sites.${index}.origin`, 'is there twice')
    const kept = stored.sites.find((old) => old.origin === origin && old.username === username)
    if (password === undefined && !kept) throw invalidField(`sites.${index}.password`, 'is needed')
    const sealed_password =
      password === undefined ? (kept?.sealed_password ?? '') : await context.secrets.seal(password, purpose)
    return { origin, username, sealed_password }
  })
  await changeSection(context, browserCredentials, { sites: await Promise.all(sealed) })
}

export async function readCredentials(host: Host): Promise<HttpCredentials[]> {
  const { sites } = await readSection(host, browserCredentials)
  const opened = sites.map(async ({ origin, username, sealed_password }) => ({
    origin,
    username,
    password: await host.secrets.open(sealed_password, purpose),
  }))
  return Promise.all(opened)
}
