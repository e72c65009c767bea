import { z } from 'zod'
import { auditStatement } from '../auth/audit.ts'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import { checkBody } from '../http/validate.ts'
import { GuardFailed } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { saveSettings, storedSettings } from './store.ts'

/** A named group of settings. A release may add members: what was never set has its default. */
export interface Section<Shape extends z.ZodObject = z.ZodObject> {
  name: string
  schema: Shape
  defaults(config: Config): z.output<Shape>
}

/** Any subset of a section. A name that it does not have is refused, because a typo would be lost in silence. */
export const subsetOf = <Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>) =>
  z.strictObject(schema.shape).partial()

export async function readSection<Shape extends z.ZodObject>(
  host: Host,
  section: Section<Shape>,
): Promise<z.output<Shape>> {
  return whole(host, section, await storedSettings(host, section.name))
}

const tries = 5

/** Merges `change` into a section, effective at once. Changes of different members at the same time both count. */
export async function changeSection<Shape extends z.ZodObject>(
  context: Context,
  section: Section<Shape>,
  change: Partial<z.input<Shape>>,
): Promise<z.output<Shape>> {
  for (let attempt = 1; ; attempt += 1) {
    const before = await storedSettings(context, section.name)
    const after = JSON.stringify({ ...JSON.parse(before ?? '{}'), ...change })
    const result = whole(context, section, after)
    try {
      await store(context, section.name, { before, after })
      return result
    } catch (thrown) {
      if (!(thrown instanceof GuardFailed) || attempt === tries) throw thrown
    }
  }
}

const store = (context: Context, name: string, value: { before: string | null; after: string }) =>
  context.commit(
    [
      saveSettings(
        name,
        { ...value, now: iso(context.clock.now()) },
        'The settings are being changed by another request',
      ),
      auditStatement(context, { action: 'settings.updated', target: name }),
    ],
    [{ type: 'settings.updated', data: { section: name } }],
  )

function whole<Shape extends z.ZodObject>(
  host: Host,
  section: Section<Shape>,
  stored: string | null,
): z.output<Shape> {
  const value = { ...section.defaults(host.config), ...JSON.parse(stored ?? '{}') }
  return checkBody(section.schema, value) as z.output<Shape>
}
