import type { z } from 'zod'
import { auditStatement } from '../auth/audit.ts'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import { checkBody } from '../http/validate.ts'
import { GuardFailed, type Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { mergeShape, type Subset } from './merge.ts'
import { forgetSettings, saveSettings, storedSettings } from './store.ts'

export { subsetOf } from './merge.ts'

/** A named group of settings. A release may add members: what was never set has its default. */
export interface Section<Shape extends z.ZodObject = z.ZodObject> {
  name: string
  schema: Shape
  defaults(config: Config): z.output<Shape>
  /** What is shown in the place of the whole, where a member is a secret or lives elsewhere. */
  shown?: { schema: z.ZodObject; of(value: z.output<Shape>, host: Host): unknown }
  /** What a change of some members does to others, whoever makes it: a secret goes when its address does. */
  consequence?(old: z.output<Shape>, change: Record<string, unknown>): Record<string, unknown>
  /** What else a change sets, in the same commit. */
  also?(value: z.output<Shape>, host: Host): Statement[]
  /** A reset of the general settings leaves it alone. */
  kept_on_reset?: boolean
}

export async function readSection<Shape extends z.ZodObject>(
  host: Host,
  section: Section<Shape>,
): Promise<z.output<Shape>> {
  return whole(host, section, await storedSettings(host, section.name))
}

/** The section as the interface shows it: a secret is told of, never told. */
export async function showSection(host: Host, section: Section): Promise<unknown> {
  const value = await readSection(host, section)
  return section.shown ? section.shown.of(value, host) : value
}

const tries = 5

/**
 * Merges `change` into a section, objects in it too, effective at once. Changes of different members at the same time
 * both count.
 */
export async function changeSection<Shape extends z.ZodObject>(
  context: Context,
  section: Section<Shape>,
  change: Subset<z.input<Shape>>,
): Promise<z.output<Shape>> {
  return replace(context, section, (old) => {
    const consequence = section.consequence?.(whole(context, section, JSON.stringify(old)), change)
    return mergeShape(section.schema, old, { ...change, ...consequence })
  })
}

/** Gives every member its default again. */
export async function resetSection<Shape extends z.ZodObject>(
  context: Context,
  section: Section<Shape>,
): Promise<z.output<Shape>> {
  return replace(context, section, () => null)
}

type Stored = Record<string, unknown>

async function replace<Shape extends z.ZodObject>(
  context: Context,
  section: Section<Shape>,
  next: (old: Stored) => Stored | null,
): Promise<z.output<Shape>> {
  for (let attempt = 1; ; attempt += 1) {
    const before = await storedSettings(context, section.name)
    const stored = next(JSON.parse(before ?? '{}'))
    const after = stored && JSON.stringify(stored)
    const result = whole(context, section, after)
    try {
      const also = section.also?.(result, context) ?? []
      await store(context, section.name, { before, after, also })
      return result
    } catch (thrown) {
      if (!(thrown instanceof GuardFailed) || attempt === tries) throw thrown
    }
  }
}

interface Replacement {
  before: string | null
  /** Null takes away what was set. */
  after: string | null
  also: readonly Statement[]
}

function store(context: Context, name: string, { before, after, also }: Replacement) {
  const guard = 'The settings are being changed by another request'
  const now = iso(context.clock.now())
  const row = after === null ? forgetSettings(name) : saveSettings(name, { before, after, now }, guard)
  const action = after === null ? 'settings.reset' : 'settings.updated'
  return context.commit(
    [row, ...also, auditStatement(context, { action, target: name })],
    [{ type: 'settings.updated', data: { section: name } }],
  )
}

function whole<Shape extends z.ZodObject>(
  host: Host,
  section: Section<Shape>,
  stored: string | null,
): z.output<Shape> {
  const value = mergeShape(section.schema, section.defaults(host.config), JSON.parse(stored ?? '{}'))
  return checkBody(section.schema, value) as z.output<Shape>
}
