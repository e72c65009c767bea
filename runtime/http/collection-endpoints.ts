import type { z } from 'zod'
import type { Nothing, Values } from '../collection-types.ts'
import type { Context } from '../context.ts'
import { type Endpoint, endpoint } from './endpoint.ts'
import type { Access, Ownership } from './endpoint-info.ts'
import { type Deleted, listOf, type Page, pageQuery } from './page.ts'
import { removal } from './removal.ts'

/**
 * A kind of thing with its five endpoints: a collection, or one that has a state machine and functions of its own.
 */
interface Kind<
  Path extends string,
  Items extends string,
  New extends z.ZodType,
  Changes extends z.ZodType,
  Row extends z.ZodType,
  One,
  Item extends z.ZodType,
  Details extends z.ZodType,
  Query extends z.ZodType,
  More extends z.ZodRawShape,
> {
  readonly path: Path
  /** The member of the list's answer. */
  readonly items: Items
  readonly owner?: Ownership
  /** Who may change one. Default: anyone with the scope `write`. */
  readonly access?: Access
  readonly summaries: Readonly<Record<'list' | 'create' | 'show' | 'update' | 'remove', string>>
  readonly New: New
  readonly Changes: Changes
  readonly Row: Row
  /** A row of the list. Default: `Row`. */
  readonly Item?: Item
  /** What `show` answers. Default: `Row`. */
  readonly Details?: Details
  /** The query of the list. Default: `pageQuery()`. */
  readonly query?: Query
  /** Further members of the list's answer. */
  readonly more?: More
  /** Whether one is made without a body. */
  readonly body_optional?: boolean
  list(
    context: Context,
    query: z.output<Query>,
  ): Promise<{ rows: readonly z.output<Item>[]; total: number } & Values<NoInfer<More>>>
  add(context: Context, input: z.output<New>): Promise<z.output<Row>>
  /** One that the caller may see, else a 404. */
  require(context: Context, id: string): Promise<One>
  /** Default: the thing as `require` returns it. */
  show?(context: Context, one: One): Promise<z.output<Details>> | z.output<Details>
  edit(context: Context, id: string, changes: z.output<Changes>): Promise<z.output<Row>>
  remove(context: Context, id: string): Promise<unknown>
}

type PageQuery = ReturnType<typeof pageQuery>
type ListOf<Items extends string, Item> = { [Name in Items]: Item[] } & Page & { total: number }
interface Call<Body, Answer> {
  query: undefined
  body: Body
  answer: Answer
}

type Listed<
  Path extends string,
  Items extends string,
  Item extends z.ZodType,
  Query extends z.ZodType,
  More extends z.ZodRawShape,
> = Endpoint<
  'GET',
  Path,
  { query: z.input<Query>; body: undefined; answer: ListOf<Items, z.output<Item>> & Values<More> }
>

/** The types of the endpoints of a kind. */
export interface Endpoints<
  Path extends string,
  Items extends string,
  New extends z.ZodType,
  Changes extends z.ZodType,
  Row extends z.ZodType,
  Item extends z.ZodType = Row,
  Details extends z.ZodType = Row,
  Query extends z.ZodType = PageQuery,
  More extends z.ZodRawShape = Nothing,
> {
  list: Listed<Path, Items, Item, Query, More>
  create: Endpoint<'POST', Path, Call<z.input<New>, z.output<Row>>>
  show: Endpoint<'GET', `${Path}/{id}`, Call<undefined, z.output<Details>>>
  update: Endpoint<'PUT', `${Path}/{id}`, Call<z.input<Changes>, z.output<Row>>>
  remove: Endpoint<'DELETE', `${Path}/{id}`, Call<undefined, z.output<typeof Deleted>>>
}

/** The endpoints that list, show, make, change and delete the things of a kind. */
export function endpointsOf<
  const Path extends string,
  const Items extends string,
  New extends z.ZodType,
  Changes extends z.ZodType,
  Row extends z.ZodType,
  One,
  Item extends z.ZodType = Row,
  Details extends z.ZodType = Row,
  Query extends z.ZodType = PageQuery,
  More extends z.ZodRawShape = Nothing,
>(
  kind: Kind<Path, Items, New, Changes, Row, One, Item, Details, Query, More>,
): Endpoints<Path, Items, New, Changes, Row, Item, Details, Query, More> {
  const { path, items, owner, access, summaries, Row, Item = Row, Details = Row, more, body_optional } = kind
  const one = `${path}/{id}` as const
  return {
    list: listing({
      ...{ path, items, owner, more },
      summary: summaries.list,
      item: Item,
      query: kind.query,
      rows: kind.list,
    }),
    create: endpoint(`POST ${path}`, {
      ...{ owner, access, body_optional },
      summary: summaries.create,
      body: kind.New,
      returns: Row,
      status: 201,
      run: ({ body }, context) => kind.add(context, body as z.output<New>),
    }),
    show: endpoint(`GET ${one}`, {
      owner,
      summary: summaries.show,
      returns: Details,
      async run({ params }, context) {
        const thing = await kind.require(context, idOf(params))
        return kind.show ? kind.show(context, thing) : (thing as z.output<Details>)
      },
    }),
    update: endpoint(`PUT ${one}`, {
      ...{ owner, access },
      summary: summaries.update,
      body: kind.Changes,
      before: ({ params }, context) => kind.require(context, idOf(params)),
      returns: Row,
      run: ({ params, body }, context) => kind.edit(context, idOf(params), body as z.output<Changes>),
    }),
    remove: removal({ path: one, ...{ owner, access }, summary: summaries.remove, remove: kind.remove }),
  } as never
}

interface Listing<
  Path extends string,
  Items extends string,
  Item extends z.ZodType,
  Query extends z.ZodType,
  More extends z.ZodRawShape,
> {
  path: Path
  items: Items
  owner?: Ownership
  access?: Access
  summary: string
  item: Item
  /** Default: `pageQuery()`. */
  query?: Query
  /** Further members of the answer. */
  more?: More
  rows(
    context: Context,
    query: z.output<Query>,
  ): Promise<{ rows: readonly z.output<Item>[]; total: number } & Values<NoInfer<More>>>
}

/** The endpoint that lists things page by page: `GET <path>`. */
export const listing = <
  const Path extends string,
  const Items extends string,
  Item extends z.ZodType,
  Query extends z.ZodType = PageQuery,
  More extends z.ZodRawShape = Nothing,
>({
  path,
  items,
  item,
  query,
  more,
  rows,
  ...place
}: Listing<Path, Items, Item, Query, More>) =>
  endpoint(`GET ${path}`, {
    ...place,
    query: query ?? pageQuery(),
    returns: listOf(items, item).extend(more ?? {}),
    async run({ query }, context) {
      const { rows: page, ...others } = await rows(context, query as z.output<Query>)
      const { limit, offset } = query as Page
      return { [items]: page, ...others, limit, offset } as never
    },
  }) as unknown as Listed<Path, Items, Item, Query, More>

const idOf = (params: unknown) => (params as { id: string }).id

/** Whose verbs and logs these are: a collection, or another kind of thing with an address. */
interface Place<Path extends string, Row = unknown> {
  path: Path
  /** What a verb answers unless it says otherwise. */
  Row?: z.ZodType<Row>
  owner?: Ownership
  access?: Access
}

interface Verb<Body extends z.ZodType | undefined, Answer> {
  summary: string
  body?: Body
  body_optional?: boolean
  /** Default: the thing as it is shown. */
  returns?: z.ZodType<Answer>
  status?: number
  /** Default: the access of the kind. */
  access?: Access
  idempotent?: boolean
  acts_outside?: boolean
  run(
    context: Context,
    id: string,
    body: Body extends z.ZodType ? z.output<Body> : undefined,
  ): Promise<NoInfer<Answer>> | NoInfer<Answer>
  /** See `endpoint`. */
  recover?(context: Context, id: string): Promise<NoInfer<Answer>>
}

/** The endpoint of a verb: `POST <path>/{id}/<name>`. */
export const verbOf = <
  const Path extends string,
  const Name extends string,
  Row,
  Answer = Row,
  Body extends z.ZodType | undefined = undefined,
>(
  { path, owner, access, Row }: Place<Path, Row>,
  name: Name,
  { run, recover, returns = Row as unknown as z.ZodType<Answer>, ...verb }: Verb<Body, Answer>,
) =>
  endpoint(`POST ${path}/{id}/${name}`, {
    ...{ owner, access, returns },
    ...verb,
    run: ({ params, body }, context) => run(context, idOf(params), body as never),
    recover: recover && (({ params }, context) => recover(context, idOf(params))),
  })

interface Log<Item extends z.ZodType, Query extends z.ZodRawShape, Items extends string> {
  summary: string
  item: Item
  /** The member of the answer. Default: the name. */
  items?: Items
  /** Filters next to `limit` and `offset`. */
  query?: Query
  rows(
    context: Context,
    id: string,
    query: { limit: number; offset: number } & z.output<z.ZodObject<Query>>,
  ): Promise<{ rows: readonly z.output<Item>[]; total: number }>
}

/** The endpoint that lists what belongs to a thing, page by page: `GET <path>/{id}/<name>`. */
export const logOf = <
  const Path extends string,
  const Name extends string,
  Item extends z.ZodType,
  Query extends z.ZodRawShape = Record<never, never>,
  Items extends string = Name,
>(
  { path, owner, require }: Place<Path> & { require(context: Context, id: string): Promise<unknown> },
  name: Name,
  { summary, item, items = name as string as Items, query, rows }: Log<Item, Query, Items>,
) =>
  endpoint(`GET ${path}/{id}/${name}`, {
    owner,
    summary,
    query: pageQuery().extend((query ?? {}) as Query),
    returns: listOf(items, item),
    async run({ params, query: filters }, context) {
      await require(context, idOf(params))
      const { limit, offset } = filters as Page
      const page = await rows(context, idOf(params), filters as never)
      return { [items]: page.rows, total: page.total, limit, offset } as never
    },
  })
