import { z } from 'zod'
import { actingFor, ownerOf } from '../auth/owner.ts'
import { callerTimeZone } from '../auth/profile.ts'
import { collection } from '../collection.ts'
import type { Context } from '../context.ts'
import { forbidden, invalid, invalidField } from '../fault.ts'
import type { Statement } from '../ports/sql.ts'
import { reference } from '../references.ts'
import { sql } from '../statement.ts'
import { isSameJson } from '../values.ts'
import { allows, describeMatch, Match, type Question, readValue, Scope } from './permission.ts'
import { Hours } from './proactive.ts'

/** What a person allows in advance: calls of a tool with certain arguments, which then run without asking. */
export const permissions = collection({
  noun: 'permission',
  prefix: 'perm',
  path: '/api/permissions',
  items: 'permissions',
  owner: 'caller',
  access: 'approve',
  // A condition with a wrong name must not be left out.
  strict: true,
  events: { type: 'permission', id: 'permission_id' },
  table: {
    name: 'permissions',
    columns: ['owner_id', 'tool', 'uses_left', 'uses', 'last_used_at'],
    packed: 'settings',
    guard: ['uses_left', 'uses'],
  },
  fields: {
    tool: reference('tool').min(1).meta({ title: 'Tool' }),
    match: z.array(Match).max(20).default([]).meta({
      title: 'Conditions',
      description: 'All must be true. Without any, every call of the tool is allowed',
    }),
    scope: Scope.default({}).meta({ title: 'Only for' }),
    hours: Hours.nullable().default(null).meta({ title: 'Only at certain hours' }),
    until: z.iso
      .datetime({ offset: true })
      .nullable()
      .default(null)
      .meta({
        title: 'Expires',
        labels: { null: 'Never' },
      }),
    uses_left: z
      .int()
      .min(0)
      .max(1_000_000)
      .nullable()
      .default(null)
      .meta({
        title: 'Uses left',
        labels: { null: 'No limit' },
      }),
  },
  state: { uses: z.int().default(0), last_used_at: z.string().nullable().default(null) },
  derived: {
    summary: z.string().meta({ description: 'The tool and the conditions in words' }),
  },
  derive: (_, stored) => ({ summary: summaryOf(stored) }),
  prepare: async (context, { next }) => {
    if (context.caller.owner_id !== undefined) throw forbidden('Only its owner decides what needs no approval')
    return { match: storedMatch(next) }
  },
})

export type Permission = z.output<typeof permissions.Row>
export type StoredPermission = NonNullable<Awaited<ReturnType<typeof permissions.find>>>

/** Conditions as they are stored; refuses a value that its comparison cannot have, and several tools. */
export function storedMatch({ tool, match }: { tool: string; match: readonly Match[] }, before = ''): Match[] {
  if (tool.includes('*')) throw invalidField(`${before}tool`, 'must name one tool')
  const values = match.map(readValue)
  const issues = values.flatMap((one, index) =>
    'problem' in one ? [{ path: `${before}match.${index}.value`, message: one.problem }] : [],
  )
  if (issues.length > 0) throw invalid(issues)
  return match.map((one, index) => ({ ...one, ...values[index] }))
}

export const summaryOf = ({ tool, match }: { tool: string; match: readonly Match[] }): string =>
  [tool, describeMatch(match)].filter(Boolean).join(': ')

/**
 * The permission that covers a call, if possible one with any number of uses. Others write in a shared conversation, too: only
 * permissions for it apply there.
 */
export async function permissionFor(
  context: Context,
  question: Question,
  isShared: boolean,
): Promise<StoredPermission | null> {
  const { owner_id, tool } = question
  const candidates = await permissions.table.list(context, 'uses_left IS NOT NULL, id', { owner_id, tool })
  if (candidates.length === 0) return null
  const zone = await callerTimeZone(actingFor(context, owner_id))
  const applies = ({ scope }: StoredPermission) => !isShared || scope.conversation_id !== undefined
  return candidates.find((one) => applies(one) && allows(one, question, zone)) ?? null
}

/** Counts a use. It fails the commit of the call if the permission is used up, changed or revoked by now. */
export const countUse = ({ id, updated_at }: StoredPermission, last_used_at: string): Statement =>
  permissions.table.update(
    { uses: sql`uses + 1`, uses_left: sql`uses_left - 1`, last_used_at },
    [{ id, updated_at }, 'coalesce(uses_left, 1) > 0'],
    'The permission no longer applies',
  )

/** A permission for every call of a tool in a conversation, unless there is one. */
export async function rememberTool(context: Context, conversation_id: string, tool: string) {
  const whole = permissions.New.parse({ tool, scope: { conversation_id } })
  const existing = await permissions.table.list(context, 'id', { owner_id: ownerOf(context), tool })
  const names = Object.keys(whole) as (keyof typeof whole)[]
  if (existing.some((one) => names.every((name) => isSameJson(one[name], whole[name])))) return null
  return permissions.creation(context, whole)
}
