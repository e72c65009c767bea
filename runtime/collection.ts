import { z } from 'zod'
import { auditStatement } from './auth/audit.ts'
import { owned, ownerOf } from './auth/owner.ts'
import type { Context } from './context.ts'
import type { EventInput } from './events/event.ts'
import { newId } from './id.ts'
import { againIfLost } from './lost-race.ts'
import type { Statement } from './ports/sql.ts'
import { required } from './required.ts'
import { type Reader, type Sql, Table } from './table.ts'
import { iso, laterThan } from './time.ts'

type Shape = z.ZodRawShape
// biome-ignore lint/complexity/noBannedTypes: the shape without members
type Nothing = {}
type Values<Fields extends Shape> = keyof Fields extends never ? Nothing : z.output<z.ZodObject<Fields>>

/** Fields as they are read: always there, so without their defaults. */
type Read<Fields extends Shape> = {
  [Name in keyof Fields]: Fields[Name] extends z.ZodDefault<infer Inner> ? Inner : Fields[Name]
}
/** Fields as a change sends them: each may be left out. */
type Changed<Fields extends Shape> = {
  [Name in keyof Fields]: z.ZodOptional<Read<Fields>[Name]>
}
/** Fields without a default must be set by `prepare`, all others may be. */
type Prepared<Kept extends Shape, Stored> = {
  [Name in keyof Kept as Kept[Name] extends z.ZodDefault ? never : Name]: z.output<Kept[Name]>
} & Partial<Stored>

const always = { created_at: z.string(), updated_at: z.string() }
type Always = typeof always
type Identity<Owner> = Owner extends 'caller'
  ? { id: z.ZodString; owner_id: z.ZodString }
  : { id: z.ZodString }

/** What every stored thing has. */
interface Base {
  id: string
  created_at: string
  updated_at: string
}

type StoredOf<Owner, Fields extends Shape, State extends Shape, Hidden extends Shape> = Values<Fields> &
  Values<State> &
  Values<Hidden> &
  Values<Identity<Owner>> &
  Base

/** A kind of thing that people make and keep. */
export interface Definition<
  Path extends string,
  Items extends string,
  Owner extends 'caller' | 'house',
  Fields extends Shape,
  Sent extends Shape,
  Once extends Shape,
  State extends Shape,
  Hidden extends Shape,
  Derived extends Shape,
> {
  /** In messages, such as `incoming webhook`. */
  noun: string
  /** Of ids. */
  prefix: string
  path: Path
  /** The member of the list's answer. */
  items: Items
  /** `caller`: each thing belongs to the user who made it. `house`: everyone sees all of them. */
  owner: Owner
  /** Who may change it. Default: anyone with the scope `write`. */
  access?: 'admin'
  /** Summaries that say more than the derived ones. */
  summaries?: { readonly [Verb in 'list' | 'create' | 'show' | 'update' | 'remove']?: string }
  /**
   * Where it is stored. The fields that statements select by are columns; if `packed` names a column, all other fields are
   * stored there together as JSON.
   */
  table: { name: string; columns?: readonly string[]; packed?: string }
  /** What people set. A default applies when a thing is made. */
  fields: Fields
  /** Accepted and turned into stored fields by `prepare`, such as a secret that is stored sealed. */
  sent?: Sent
  /** The same, but only when a thing is made. */
  once?: Once
  /** Set by the daemon and shown. */
  state?: State
  /** Stored and never shown. */
  hidden?: Hidden
  /** Shown but not stored: made by `derive`. */
  derived?: Derived
  derive?(
    context: Context,
    stored: StoredOf<Owner, Fields, State, Hidden>,
  ): Promise<Values<Derived>> | Values<Derived>
  /** Refuses what is not valid, and returns what follows from a change. `before` is null for a new thing. */
  prepare?(
    context: Context,
    change: {
      next: Values<Fields>
      before: StoredOf<Owner, Fields, State, Hidden> | null
      sent: Partial<Values<Sent> & Values<Once>>
    },
  ): Promise<Prepared<State & Hidden, StoredOf<Owner, Fields, State, Hidden>>>
  /** Statements for the commit of a new or changed thing. */
  also?(
    context: Context,
    next: StoredOf<Owner, Fields, State, Hidden>,
    before: StoredOf<Owner, Fields, State, Hidden> | null,
  ): Statement[]
  /** The first words of its events and actions in the audit log, and the member of the events that has the id. */
  events: { type: string; id: string; audit?: string }
  /** Terms of `ORDER BY` in the list. Default: newest first. */
  order?: string
}

/** How a verb changes a thing: what is recorded in the audit log, and what its answer has beside the thing. */
export interface ChangeOptions<Extra extends object> {
  /** Default: `<type>.updated`. */
  action?: string
  extra?: Extra
}

type With<Row, Extra extends object> = Omit<Row, keyof Extra> & Extra

export interface Collection<
  Path extends string,
  Items extends string,
  New extends z.ZodObject,
  Changes extends z.ZodObject,
  Row extends z.ZodObject,
  Stored extends Base,
> {
  readonly noun: string
  readonly path: Path
  readonly items: Items
  readonly owner: 'caller' | 'house'
  readonly access: 'admin' | 'write'
  readonly summaries: Readonly<Record<'list' | 'create' | 'show' | 'update' | 'remove', string>>
  /** The schemas of a body that makes or changes one, and of one as it is shown. */
  readonly New: New
  readonly Changes: Changes
  readonly Row: Row
  readonly table: Table<Stored>
  /** One that belongs to anyone. */
  find(host: Sql, id: string): Promise<Stored | null>
  /** One that the caller may see, else null. */
  findOwn(context: Reader, id: string): Promise<Stored | null>
  /** One that the caller may see, else a 404. */
  require(context: Context, id: string): Promise<Stored>
  show(context: Context, stored: Stored): Promise<z.output<Row>>
  list(context: Context, page: { limit: number; offset: number }): Promise<Listed<z.output<Row>>>
  add<Extra extends object = Nothing>(
    context: Context,
    input: z.output<New>,
    extra?: Extra,
  ): Promise<With<z.output<Row>, Extra>>
  /** Changes the fields that are given. A change that another request was faster than is applied to what that one left. */
  edit(context: Context, id: string, changes: z.output<Changes>): Promise<z.output<Row>>
  /** The same for a verb: `next` returns the stored fields that change. */
  change<Extra extends object = Nothing>(
    context: Context,
    id: string,
    next: (before: Stored) => Partial<Stored> | Promise<Partial<Stored>>,
    options?: ChangeOptions<Extra>,
  ): Promise<With<z.output<Row>, Extra>>
  remove(context: Context, id: string): Promise<void>
}

interface Listed<Row> {
  rows: Row[]
  total: number
}

/** Returns the schemas, the table and the functions of a collection. `endpointsOf` makes its endpoints. */
export function collection<
  const Path extends string,
  const Items extends string,
  const Owner extends 'caller' | 'house',
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
  z.ZodObject<Identity<Owner> & Read<Fields> & Read<State> & Derived & Always>,
  StoredOf<Owner, Fields, State, Hidden>
> {
  type Stored = StoredOf<Owner, Fields, State, Hidden>
  type Row = z.output<z.ZodObject<Identity<Owner> & Read<Fields> & Read<State> & Derived & Always>>
  const { noun, path, items, owner, fields, events, prepare, derive, also } = definition
  const {
    sent = {},
    once = {},
    state = {},
    hidden = {},
    derived = {},
  } = definition as {
    [Part in 'sent' | 'once' | 'state' | 'hidden' | 'derived']?: Shape
  }
  const belongs = owner === 'caller'
  const stored = { ...fields, ...state, ...hidden }
  const row = z.object({
    id: z.string(),
    ...(belongs && { owner_id: z.string() }),
    ...mapShape({ ...fields, ...state }, withoutDefault),
    ...derived,
    ...always,
  })
  const initial = z.object({ ...state, ...hidden }).partial()
  const table = new Table<Stored>(definition.table.name, storageOf(stored, definition.table) as object)
  const visible = (context: Reader) => (belongs ? owned(context) : 'true')
  const where = (values: Partial<Stored>) => values as Parameters<typeof table.find>[1]
  const find = (host: Sql, id: string) => table.find(host, where({ id } as Partial<Stored>))
  const findOwn = (context: Reader, id: string) =>
    table.find(context, where({ id } as Partial<Stored>), visible(context))
  const require = required(noun, findOwn)
  const shownFields = Object.keys(row.shape).filter((name) => !Object.hasOwn(derived, name))
  const show = async (context: Context, one: Stored): Promise<Row> =>
    ({ ...pick(one, shownFields), ...(await derive?.(context, one)) }) as Row

  const named = (past: 'created' | 'updated' | 'deleted', one: Stored) => {
    const data = { [events.id]: one.id, ...(past === 'created' && 'name' in one && { name: one.name }) }
    return { type: `${events.type}.${past}`, data } as unknown as EventInput
  }
  const audited = (context: Context, action: string, { id }: Base) =>
    auditStatement(context, { action, target: id })
  const actions = events.audit ?? events.type
  const settled = async (
    context: Context,
    next: object,
    before: Stored | null,
    input: object,
  ): Promise<Partial<Stored>> =>
    (await prepare?.(context, { next: pick(next, Object.keys(fields)), before, sent: input } as never)) ??
    ({} as Partial<Stored>)

  const change: Collection<Path, Items, never, never, never, Stored>['change'] = (
    context,
    id,
    next,
    options,
  ) =>
    againIfLost(async () => {
      const before = await require(context, id)
      const updated_at = laterThan(before.updated_at, context.clock.now())
      const after: Stored = { ...before, ...(await next(before)), updated_at }
      const answer = { ...(await show(context, after)), ...options?.extra }
      const { id: _, created_at: __, ...changed } = after
      const guard = `The ${noun} was changed by another request; try again`
      const place = where({ id, updated_at: before.updated_at } as Partial<Stored>)
      await context.commit(
        [
          table.update(changed as unknown as Partial<Stored>, place as never, guard),
          audited(context, options?.action ?? `${actions}.updated`, after),
          ...(also?.(context, after, before) ?? []),
        ],
        [named('updated', after)],
        { answer },
      )
      return answer as never
    })

  return {
    ...{ noun, path, items, owner, table, find, findOwn, require },
    access: definition.access ?? 'write',
    summaries: { ...summariesOf(noun, definition.order), ...definition.summaries },
    New: z.object({ ...fields, ...sent, ...once }) as never,
    Changes: z.object(mapShape({ ...fields, ...sent }, (field) => withoutDefault(field).optional())) as never,
    Row: row as never,
    show,
    async list(context, page) {
      const { rows, total } = await table.page(context, page, definition.order ?? 'id DESC', visible(context))
      return { rows: await Promise.all(rows.map((one) => show(context, one))), total }
    },
    async add(context, input, extra) {
      const now = context.clock.now()
      const at = { created_at: iso(now), updated_at: iso(now) }
      const one = {
        ...initial.parse({}),
        ...pick(input, Object.keys(fields)),
        ...(await settled(context, input, null, input)),
        id: newId(definition.prefix, now),
        ...(belongs && { owner_id: ownerOf(context) }),
        ...at,
      } as unknown as Stored
      const answer = { ...(await show(context, one)), ...extra }
      const statements = [table.insert(one), audited(context, `${actions}.created`, one)]
      await context.commit([...statements, ...(also?.(context, one, null) ?? [])], [named('created', one)], {
        answer,
      })
      return answer as never
    },
    edit: (context, id, changes) =>
      change(context, id, async (before) => {
        const given = pick(changes, Object.keys(fields))
        return {
          ...given,
          ...(await settled(context, { ...before, ...given }, before, changes)),
        } as Partial<Stored>
      }),
    change,
    async remove(context, id) {
      const one = await require(context, id)
      const statements = [
        table.delete(where({ id } as Partial<Stored>) as never, `The ${noun} was already deleted`),
        audited(context, `${actions}.deleted`, one),
      ]
      await context.commit(statements, [named('deleted', one)])
    },
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

/** The members with these names that are not undefined. */
const pick = (value: object, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).filter(([name, member]) => member !== undefined && names.includes(name)),
  )

const mapShape = (shape: Shape, to: (field: z.ZodType) => z.ZodType): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, to(field as z.ZodType)]))

function withoutDefault(field: z.ZodType): z.ZodType {
  if (!(field instanceof z.ZodDefault)) return field
  const inner = field.unwrap() as z.ZodType
  const meta = field.meta()
  return meta ? inner.meta({ ...inner.meta(), ...meta }) : inner
}

/** How `Table` stores the fields: what they are stored as follows from their schemas. */
function storageOf(fields: Shape, { columns, packed }: { columns?: readonly string[]; packed?: string }) {
  const names = Object.keys(fields)
  const own = packed === undefined ? names : names.filter((name) => columns?.includes(name))
  const plain = (name: string) => plainOf(fields[name] as z.ZodType)
  return {
    booleans: own.filter((name) => plain(name) instanceof z.ZodBoolean),
    json: own.filter((name) => !scalars.some((scalar) => plain(name) instanceof scalar)),
    ...(packed !== undefined && {
      packed: { column: packed, fields: names.filter((name) => !own.includes(name)) },
    }),
  }
}

const scalars = [z.ZodString, z.ZodStringFormat, z.ZodNumber, z.ZodBoolean, z.ZodEnum, z.ZodLiteral]

/** The schema inside its default, and inside what says that it may be absent or null. */
function plainOf(field: z.ZodType): z.ZodType {
  const wrapped =
    field instanceof z.ZodDefault || field instanceof z.ZodOptional || field instanceof z.ZodNullable
  return wrapped ? plainOf(field.unwrap() as z.ZodType) : field
}

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
