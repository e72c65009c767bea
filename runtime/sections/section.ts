import { z } from 'zod'
import { auditStatement } from '../auth/audit.ts'
import { nobody, ownerOf } from '../auth/owner.ts'
import { firstAdministrator } from '../auth/user-store.ts'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import type { Host } from '../host.ts'
import { checkBody } from '../http/validate.ts'
import { newId } from '../id.ts'
import { againIfLost } from '../lost-race.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { isSameJson } from '../values.ts'
import { type FieldChange, insertChange } from './history-store.ts'
import { mergeShape, type Subset } from './merge.ts'
import { deleteSettings, saveSettings, storedSettings } from './store.ts'

/**
 * A named group of settings. Its endpoints, its form, and its part of export and import are made from this
 * value. `Stored` is what the table holds, `Sent` what people may change, `Shown` what they see.
 */
export interface Section<
  Stored extends z.ZodObject = z.ZodObject,
  Sent extends z.ZodObject = Stored,
  Shown extends z.ZodObject = Sent,
  Name extends string = string,
> {
  name: Name
  /** As in "Read …". */
  title: string
  /** Who may change it. Default: anyone with the scope `write`. */
  access?: 'admin'
  /** Each user has their own values. Without a user, those of the first administrator apply. */
  per_user?: boolean
  schema: Stored
  defaults(config: Config): z.output<Stored>
  /** Differs from `schema` if people send something that is stored in another form, such as a password. */
  sent?: Sent
  /** Differs from `schema` if a member is a secret or lives elsewhere. */
  shown?: {
    schema: Shown
    of(value: z.output<Stored>, host: Host): z.output<Shown> | Promise<z.output<Shown>>
  }
  /** Further changes that a change implies: a secret is removed when its address changes. */
  implied?(old: z.output<Stored>, change: Record<string, unknown>): Record<string, unknown>
  /** Statements for the commit of a change. */
  also?(value: z.output<Stored>, host: Host): Statement[]
  /** Makes this process use a new value, after the commit. */
  applied?(value: z.output<Stored>, host: Host): void | Promise<void>
  /**
   * Stored members that are or contain secrets, with their public names. The history omits their values.
   */
  secrets?: Readonly<Record<string, string>>
  /** Not affected by a reset of the general settings. */
  kept_on_reset?: boolean
}

export const defineSection = <
  const Name extends string,
  Stored extends z.ZodObject,
  Sent extends z.ZodObject = Stored,
  Shown extends z.ZodObject = Sent,
>(
  section: Section<Stored, Sent, Shown, Name>,
): Section<Stored, Sent, Shown, Name> => section

/** A section and how a change of it is checked and stored. */
export interface ServedSection {
  section: Section
  save(context: Context, change: Record<string, unknown>): Promise<unknown>
}

export const shownSchema = ({ schema, sent, shown }: Section): z.ZodObject => shown?.schema ?? sent ?? schema

/** The value with its defaults. */
export async function readSection<Stored extends z.ZodObject>(
  host: Reader,
  section: Pick<Section<Stored>, 'name' | 'schema' | 'defaults' | 'per_user'>,
): Promise<z.output<Stored>> {
  return withDefaults(host, section, await storedSettings(host, section.name, await ownerFor(host, section)))
}

/** A context, or a host for a shared section. */
type Reader = Host & Partial<Pick<Context, 'caller'>>

/** The user whose values apply; null for a section shared by all users. */
async function ownerFor(host: Reader, { per_user }: Pick<Section, 'per_user'>): Promise<string | null> {
  if (!per_user) return null
  const owner = host.caller ? ownerOf({ caller: host.caller }) : nobody
  return owner || ((await firstAdministrator(host)) ?? nobody)
}

/** The value as people see it: of a secret, only that it is set. */
export async function showSection<Shown extends z.ZodObject>(
  host: Reader,
  section: Section<z.ZodObject, z.ZodObject, Shown>,
): Promise<z.output<Shown>> {
  const value = await readSection(host, section)
  return section.shown ? section.shown.of(value, host) : (value as z.output<Shown>)
}

/**
 * Merges `change` into a section, effective at once. Concurrent changes of different members are all kept.
 */
export async function changeSection<Stored extends z.ZodObject>(
  context: Context,
  section: Section<Stored, z.ZodObject, z.ZodObject>,
  change: Subset<z.input<Stored>>,
): Promise<z.output<Stored>> {
  return replace(context, section, (old) => {
    const implied = section.implied?.(withDefaults(context, section, JSON.stringify(old)), change)
    return mergeShape(section.schema, old, { ...change, ...implied })
  })
}

export async function resetSection<Stored extends z.ZodObject>(
  context: Context,
  section: Section<Stored, z.ZodObject, z.ZodObject>,
): Promise<z.output<Stored>> {
  return replace(context, section, () => null)
}

type Values = Record<string, unknown>

/** `next` returns the value that replaces the old one, or null to delete it. */
async function replace<Stored extends z.ZodObject>(
  context: Context,
  section: Section<Stored, z.ZodObject, z.ZodObject>,
  next: (old: Values) => Values | null,
): Promise<z.output<Stored>> {
  const { name } = section
  const owner_id = await ownerFor(context, section)
  const attempt = async () => {
    const before = await storedSettings(context, name, owner_id)
    const stored = next(JSON.parse(before ?? '{}'))
    const after = stored && JSON.stringify(stored)
    const value = withDefaults(context, section, after)
    const guard = 'The settings are being changed by another request'
    const now = iso(context.clock.now())
    const row =
      after === null ? deleteSettings(name, owner_id) : saveSettings(name, { before, after, now }, guard, owner_id)
    const action = after === null ? 'settings.reset' : 'settings.updated'
    const also = section.also?.(value, context) ?? []
    const history = changeStatements(context, section, withDefaults(context, section, before), value, owner_id)
    await context.commit(
      [row, ...also, ...history, auditStatement(context, { action, target: name })],
      [event('settings.updated', { section: name }, owner_id ?? undefined)],
    )
    return value
  }
  const value = await againIfLost(attempt)
  await section.applied?.(value, context)
  return value
}

/** Records the changed fields in the history, if there are any. */
function changeStatements(
  context: Context,
  section: Section<z.ZodObject, z.ZodObject, z.ZodObject>,
  before: Values,
  after: Values,
  owner_id: string | null,
): Statement[] {
  const changes = changedFields(section.schema, before, after, section.secrets)
  const fields = [...new Map(changes.map((change) => [change.field, change])).values()]
  if (fields.length === 0) return []
  const now = context.clock.now()
  const { name: actor } = context.caller
  const id = newId('change', now)
  return [insertChange({ id, section: section.name, owner_id: owner_id ?? '', at: iso(now), actor, fields })]
}

/** The fields that differ; objects in the schema are compared field by field. */
function changedFields(
  schema: z.ZodObject,
  before: Values,
  after: Values,
  secrets: Readonly<Record<string, string>> = {},
  path = '',
): FieldChange[] {
  return Object.entries(schema.shape).flatMap(([name, member]) => {
    const [old, next] = [before[name] ?? null, after[name] ?? null]
    if (isSameJson(old, next)) return []
    const field = path + name
    if (member instanceof z.ZodObject) return changedFields(member, old as Values, next as Values, {}, `${field}.`)
    const secret = secrets[field]
    if (secret !== undefined) return [{ field: secret, secret: true, before: null, after: null }]
    return [{ field, secret: false, before: old, after: next }]
  })
}

function withDefaults<Stored extends z.ZodObject>(
  host: Host,
  section: Pick<Section<Stored>, 'schema' | 'defaults'>,
  stored: string | null,
): z.output<Stored> {
  const last = checked.get(section)
  if (last && last.stored === stored && last.config === host.config)
    return structuredClone(last.value) as z.output<Stored>
  const merged = mergeShape(section.schema, section.defaults(host.config), JSON.parse(stored ?? '{}'))
  const value = checkBody(section.schema, merged) as z.output<Stored>
  checked.set(section, { stored, config: host.config, value: structuredClone(value) })
  return value
}

/** The last value of each section: checking one takes longer than reading it. */
const checked = new WeakMap<object, { stored: string | null; config: Config; value: unknown }>()

export async function showSections(host: Reader, sections: readonly Section[]): Promise<Record<string, unknown>> {
  const values = sections.map(async (section) => [section.name, await showSection(host, section)] as const)
  return Object.fromEntries(await Promise.all(values))
}

/** The JSON Schema of each section, from which forms are made. */
export function describeSections(sections: readonly Section[]): Record<string, Record<string, unknown>> {
  const described = sections.map((section) => {
    const { $schema: _, ...schema } = z.toJSONSchema(shownSchema(section))
    return [section.name, schema] as const
  })
  return Object.fromEntries(described)
}
