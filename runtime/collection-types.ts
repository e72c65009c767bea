import type { z } from 'zod'
import type { Context } from './context.ts'
import type { EventInput } from './events/event.ts'
import type { Read, Shape } from './fields.ts'
import type { Condition, Statement } from './ports/sql.ts'
import type { Reader, Sql, Table } from './table.ts'

// biome-ignore lint/complexity/noBannedTypes: the shape without members
export type Nothing = {}
export type Values<Fields extends Shape> = keyof Fields extends never ? Nothing : z.output<z.ZodObject<Fields>>

/** Fields without a default must be set by `prepare`, all others may be. */
type Prepared<Kept extends Shape, Stored> = {
  [Name in keyof Kept as Kept[Name] extends z.ZodDefault ? never : Exclude<Name, 'owner_id' | 'updated_at'>]: z.output<
    Kept[Name]
  >
} & Partial<Stored>

/** The owner and the time of the last change are shown unless they are among the hidden fields. */
type Times<Hidden extends Shape> = 'updated_at' extends keyof Hidden
  ? { created_at: z.ZodString }
  : { created_at: z.ZodString; updated_at: z.ZodString }
type Identity<Owner, Hidden extends Shape> = Owner extends 'caller'
  ? 'owner_id' extends keyof Hidden
    ? { id: z.ZodString }
    : { id: z.ZodString; owner_id: z.ZodString }
  : { id: z.ZodString }

/** What every stored thing has. */
export interface Base {
  id: string
  created_at: string
  updated_at: string
}

export type StoredOf<Owner, Fields extends Shape, State extends Shape, Hidden extends Shape> = Values<Fields> &
  Values<State> &
  Values<Hidden> &
  Values<Identity<Owner, Hidden>> &
  Base

/** The schema of a thing as it is shown. */
export type RowOf<
  Owner,
  Fields extends Shape,
  State extends Shape,
  Hidden extends Shape,
  Derived extends Shape,
> = z.ZodObject<Identity<Owner, Hidden> & Read<Fields> & Read<State> & Derived & Times<Hidden>>

/** What is committed with a change. */
export interface Further {
  statements: Statement[]
  /** Statements that must precede the statement for the thing itself. */
  first?: Statement[]
  events?: EventInput[]
}

/** A kind of thing that people make and keep. */
export interface Definition<
  Path extends string,
  Items extends string,
  Owner extends 'caller' | 'shared',
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
  /** `caller`: each thing belongs to the user who made it. `shared`: everyone sees all of them. */
  owner: Owner
  /** Its field `shared_with` names users who may read it; only its owner changes it. It needs a table with that column. */
  shareable?: true
  /** Whether bodies with unknown members are refused. Default: unknown members are ignored. */
  strict?: boolean
  /** Who may change it. Default: anyone with the scope `write`. */
  access?: 'admin' | 'approve'
  /** Summaries that say more than the derived ones. */
  summaries?: { readonly [Verb in 'list' | 'create' | 'show' | 'update' | 'remove']?: string }
  /**
   * Where it is stored. The fields that statements select by are columns; if `packed` names a column, all other fields are
   * stored there together as JSON.
   */
  table: (
    | {
        name: string
        columns?: readonly string[]
        packed?: string
        /** Fields that `select` reads from other tables, and `also` writes there. */
        joined?: readonly string[]
        select?: string
      }
    /** A table that other files of the area read too, which this collection must not be imported by. */
    | { of: Table<NoInfer<StoredOf<Owner, Fields, State, Hidden>>>; joined?: readonly string[] }
  ) & {
    /** Columns that the daemon changes without `updated_at`: a change based on an old value of them is refused. */
    guard?: readonly string[]
  }
  /**
   * The rows that a caller may see. Default: every row of a shared collection, otherwise the rows of the caller, and those
   * that are shared with them.
   */
  visible?(context: Reader): Condition | Promise<Condition>
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
  derive?(context: Context, stored: StoredOf<Owner, Fields, State, Hidden>): Promise<Values<Derived>> | Values<Derived>
  /** Refuses what is not valid, and returns what follows from a change. `before` is null for a new thing. */
  prepare?(
    context: Context,
    change: {
      next: Values<Fields>
      before: StoredOf<Owner, Fields, State, Hidden> | null
      sent: Partial<Values<Sent> & Values<Once>>
    },
  ): Promise<Prepared<State & Hidden, StoredOf<Owner, Fields, State, Hidden>>>
  /** Statements and events for the commit of a new or changed thing. */
  also?(
    context: Context,
    next: StoredOf<Owner, Fields, State, Hidden>,
    before: StoredOf<Owner, Fields, State, Hidden> | null,
  ): Statement[] | Further
  /** Refuses to delete a thing, or returns statements for the commit that deletes it. */
  removal?(context: Context, before: StoredOf<Owner, Fields, State, Hidden>): Statement[]
  /** Follows a commit, for example to wake the queue. `next` is null if the thing was deleted. */
  after?(
    context: Context,
    next: StoredOf<Owner, Fields, State, Hidden> | null,
    before: StoredOf<Owner, Fields, State, Hidden> | null,
  ): void
  /**
   * The first words of its events and actions in the audit log, and the member of the events that has the id. `past`: the
   * last words of events that are not `created`, `updated` or `deleted`. `data`: further members of the events.
   * `audit: false`: changes are not audited.
   */
  events: {
    type: string
    id: string
    audit?: string | false
    data?(stored: StoredOf<Owner, Fields, State, Hidden>): object
    past?: { readonly [Verb in 'created' | 'updated' | 'deleted']?: string }
  }
  /** Terms of `ORDER BY` in the list. Default: newest first. */
  order?: string
}

/** How a verb changes a thing: what is recorded in the audit log, and further members of its answer. */
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
  readonly owner: 'caller' | 'shared'
  readonly access: 'admin' | 'approve' | 'write'
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
  /** One that the caller may change, else a 404, or a 403 if it is shared with them. */
  requireOwn(context: Context, id: string): Promise<Stored>
  show(context: Context, stored: Stored): Promise<z.output<Row>>
  list(context: Context, page: { limit: number; offset: number }): Promise<Listed<z.output<Row>>>
  /** What stores one that is made and announces it, for a commit that makes more than that. */
  creation(context: Context, input: z.output<New>): Promise<{ statements: Statement[]; events: EventInput[] }>
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
  /** The statement that stores `next`, unless the thing was changed since `before` was read. */
  updateStatement(before: Stored, next: Stored): Statement
}

export interface Listed<Row> {
  rows: Row[]
  total: number
}
