import { z } from 'zod'
import { auditStatement } from './auth/audit.ts'
import { anyone, owned, ownerOf } from './auth/owner.ts'
import { readersOf, requireOwner, visibleRows } from './auth/sharing.ts'
import type { Base, Collection, Definition, Nothing, RowOf, StoredOf } from './collection-types.ts'
import type { Context } from './context.ts'
import type { EventInput } from './events/event.ts'
import { type Changed, changesOf, readOf, type Shape } from './fields.ts'
import { newId } from './id.ts'
import { againIfLost } from './lost-race.ts'
import { required } from './required.ts'
import { changedFields, type Reader, type Sql, Table } from './table.ts'
import { iso, laterThan } from './time.ts'
import { defined } from './values.ts'

/** Returns the schemas, the table and the functions of a collection. `endpointsOf` makes its endpoints. */
export function collection<
  const Path extends string,
  const Items extends string,
  const Owner extends 'caller' | 'shared',
  Fields extends Shape,
  Sent extends Shape = Nothing,
  Once extends Shape = Nothing,
  State extends Shape = Nothing,
  Hidden extends Shape = Nothing,
  Derived extends Shape = Nothing,
>(
  definition: Definition<Path, Items, Owner, Fields, Sent, Once, State, Hidden, Derived>,
): Collection<
  Path,
  Items,
  z.ZodObject<Fields & Sent & Once>,
  z.ZodObject<Changed<Fields & Sent>>,
  RowOf<Owner, Fields, State, Hidden, Derived>,
  StoredOf<Owner, Fields, State, Hidden>
> {
  type Stored = StoredOf<Owner, Fields, State, Hidden>
  type Row = z.output<RowOf<Owner, Fields, State, Hidden, Derived>>
  const { noun, path, items, owner, fields, events, prepare, derive, also, after } = definition
  const {
    sent = {},
    once = {},
    state = {},
    hidden = {},
    derived = {},
  } = definition as {
    [Part in 'sent' | 'once' | 'state' | 'hidden' | 'derived']?: Shape
  }
  const closed = (body: z.ZodObject) => (definition.strict ? body.strict() : body)
  const belongs = owner === 'caller'
  const stored = { ...fields, ...state, ...hidden }
  const row = z.object({
    id: z.string(),
    ...(belongs && !Object.hasOwn(hidden, 'owner_id') && { owner_id: z.string() }),
    ...readOf({ ...fields, ...state }),
    ...derived,
    created_at: z.string(),
    ...(!Object.hasOwn(hidden, 'updated_at') && { updated_at: z.string() }),
  })
  const initial = z.object({ ...state, ...hidden }).partial()
  const place = definition.table
  const table = 'of' in place ? place.of : new Table<Stored>(place.name, storageOf(stored, place) as object)
  const visible =
    definition.visible ??
    ((context: Reader) =>
      definition.shareable && 'name' in place ? visibleRows(context, place.name) : belongs ? owned(context) : anyone)
  const where = (values: Partial<Stored>) => values as Parameters<typeof table.find>[1]
  const find = (host: Sql, id: string) => table.find(host, where({ id } as Partial<Stored>))
  const findOwn = async (context: Reader, id: string) =>
    table.find(context, where({ id } as Partial<Stored>), await visible(context))
  const require = required(noun, findOwn)
  const requireOwn = async (context: Context, id: string) => {
    const one = await require(context, id)
    if (definition.shareable) requireOwner(context, noun, one as Stored & { owner_id: string })
    return one
  }
  const show = async (context: Context, one: Stored): Promise<Row> =>
    pick({ ...one, ...(await derive?.(context, one)) }, Object.keys(row.shape)) as Row

  const named = (past: 'created' | 'updated' | 'deleted', one: Stored) => {
    const verb = events.past?.[past] ?? past
    const name = verb === 'created' && 'name' in one && { name: one.name }
    const data = { [events.id]: one.id, ...name, ...events.data?.(one) }
    return { type: `${events.type}.${verb}`, data } as unknown as EventInput
  }
  const actions = events.audit ?? events.type
  const audited = (context: Context, action: string, { id }: Base) =>
    actions === false ? [] : [auditStatement(context, { action, target: id })]
  const further = (context: Context, next: Stored, before: Stored | null) => {
    const effects = also?.(context, next, before) ?? []
    return { first: [], events: [], ...(Array.isArray(effects) ? { statements: effects } : effects) }
  }
  /** Where a thing is as it was read. */
  const unchanged = (before: Stored) =>
    where(written(pick(before, ['id', 'updated_at', ...(place.guard ?? [])]) as Partial<Stored>)) as never
  const written = (one: Partial<Stored>) =>
    Object.fromEntries(Object.entries(one).filter(([name]) => !place.joined?.includes(name))) as Partial<Stored>
  const updateStatement = (before: Stored, next: Stored) =>
    table.update(
      written(changedFields<Stored>(next, before)),
      unchanged(before),
      `The ${noun} was changed by another request; try again`,
    )
  const settled = async (
    context: Context,
    next: object,
    before: Stored | null,
    input: object,
  ): Promise<Partial<Stored>> => {
    const { shared_with } = next as { shared_with?: string[] }
    const owner_id = String((before as { owner_id?: string } | null)?.owner_id ?? ownerOf(context))
    return {
      ...(definition.shareable && shared_with && { shared_with: readersOf({ owner_id }, shared_with) }),
      ...(await prepare?.(context, { next: pick(next, Object.keys(fields)), before, sent: input } as never)),
    } as Partial<Stored>
  }

  const creation = async (context: Context, input: object) => {
    const now = context.clock.now()
    const one = {
      ...initial.parse({}),
      ...pick(input, Object.keys(fields)),
      ...(await settled(context, input, null, input)),
      id: newId(definition.prefix, now),
      ...(belongs && { owner_id: ownerOf(context) }),
      ...{ created_at: iso(now), updated_at: iso(now) },
    } as unknown as Stored
    const more = further(context, one, null)
    return {
      one,
      statements: [
        ...more.first,
        table.insert(written(one)),
        ...audited(context, `${actions}.created`, one),
        ...more.statements,
      ],
      events: [named('created', one), ...more.events],
    }
  }

  const change: Collection<Path, Items, never, never, never, Stored>['change'] = (context, id, next, options) =>
    againIfLost(async () => {
      const before = await requireOwn(context, id)
      const updated_at = laterThan(before.updated_at, context.clock.now())
      const changed: Stored = { ...before, ...(await next(before)), updated_at }
      const answer = { ...(await show(context, changed)), ...options?.extra }
      const more = further(context, changed, before)
      await context.commit(
        [
          ...more.first,
          updateStatement(before, changed),
          ...audited(context, options?.action ?? `${actions}.updated`, changed),
          ...more.statements,
        ],
        [named('updated', changed), ...more.events],
        { answer },
      )
      after?.(context, changed, before)
      return answer as never
    })

  return {
    ...{ noun, path, items, owner, table, find, findOwn, require, requireOwn },
    access: definition.access ?? 'write',
    summaries: { ...summariesOf(noun, definition.order), ...definition.summaries },
    New: closed(z.object({ ...fields, ...sent, ...once })) as never,
    Changes: closed(changesOf({ ...fields, ...sent })) as never,
    Row: row as never,
    show,
    async list(context, page) {
      const { rows, total } = await table.page(context, page, definition.order ?? 'id DESC', await visible(context))
      return { rows: await Promise.all(rows.map((one) => show(context, one))), total }
    },
    creation,
    async add(context, input, extra) {
      const { one, statements, events } = await creation(context, input)
      const answer = { ...(await show(context, one)), ...extra }
      await context.commit(statements, events, { answer })
      after?.(context, one, null)
      return answer as never
    },
    edit: (context, id, changes) =>
      change(context, id, async (before) => {
        const set = pick(changes, Object.keys(fields))
        return {
          ...set,
          ...(await settled(context, { ...before, ...set }, before, changes)),
        } as Partial<Stored>
      }),
    change,
    remove: (context, id) =>
      againIfLost(async () => {
        const before = await requireOwn(context, id)
        const statements = [
          ...(definition.removal?.(context, before) ?? []),
          table.delete(unchanged(before), `The ${noun} was changed by another request; try again`),
          ...audited(context, `${actions}.deleted`, before),
        ]
        await context.commit(statements, [named('deleted', before)])
        after?.(context, null, before)
      }),
    updateStatement,
  }
}

type ChangeEvents<Type extends string, Id extends string> = {
  [One in `${Type}.${'updated' | 'deleted'}`]: z.ZodObject<{ [Name in Id]: z.ZodString }>
} & { [One in `${Type}.created`]: z.ZodObject<{ [Name in Id | 'name']: z.ZodString }> }

/** Payloads of the events of a collection whose things have names. */
export function changeEvents<const Type extends string, const Id extends string>(type: Type, id: Id) {
  const one = z.object({ [id]: z.string() })
  const created = one.extend({ name: z.string() })
  const schemas = { [`${type}.created`]: created, [`${type}.updated`]: one, [`${type}.deleted`]: one }
  return schemas as ChangeEvents<Type, Id>
}

/** The members with these names that are not undefined, in the order of the names. */
const pick = (value: object, names: readonly string[]): Record<string, unknown> =>
  defined(Object.fromEntries(names.map((name) => [name, (value as Record<string, unknown>)[name]])))

function summariesOf(noun: string, order: string | undefined) {
  const one = `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
  return {
    list: `List ${noun}s${order === undefined ? ', newest first' : ''}`,
    create: `Create ${one}`,
    show: `Get ${one}`,
    update: `Change ${one}`,
    remove: `Delete ${one}`,
  }
}

/** How `Table` stores the fields: what they are stored as follows from their schemas. */
function storageOf(
  fields: Shape,
  { columns, packed, select }: { columns?: readonly string[]; packed?: string; select?: string },
) {
  const names = Object.keys(fields)
  const own = packed === undefined ? names : names.filter((name) => columns?.includes(name))
  const plain = (name: string) => plainOf(fields[name] as z.ZodType)
  return {
    booleans: own.filter((name) => plain(name) instanceof z.ZodBoolean),
    json: own.filter((name) => !scalars.some((scalar) => plain(name) instanceof scalar)),
    ...(packed !== undefined && { packed: { column: packed, fields: names.filter((name) => !own.includes(name)) } }),
    ...(select !== undefined && { select }),
  }
}

const scalars = [z.ZodString, z.ZodStringFormat, z.ZodNumber, z.ZodBoolean, z.ZodEnum, z.ZodLiteral]

/** The schema inside its default, and inside what says that it may be absent or null. */
function plainOf(field: z.ZodType): z.ZodType {
  const wrapped =
    field instanceof z.ZodDefault ||
    field instanceof z.ZodPrefault ||
    field instanceof z.ZodOptional ||
    field instanceof z.ZodNullable
  return wrapped ? plainOf(field.unwrap() as z.ZodType) : field
}
