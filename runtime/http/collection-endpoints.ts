import type { z } from 'zod'
import type { Collection } from '../collection-types.ts'
import type { Context } from '../context.ts'
import { type Endpoint, endpoint } from './endpoint.ts'
import type { Access, Ownership } from './endpoint-info.ts'
import { type Deleted, listOf, type Page, pageQuery } from './page.ts'
import { removal } from './removal.ts'

type Stored = { id: string; created_at: string; updated_at: string }

/** The types of the endpoints of a collection. */
export interface Endpoints<
  Path extends string,
  Items extends string,
  New extends z.ZodObject,
  Changes extends z.ZodObject,
  Row extends z.ZodObject,
> {
  list: Endpoint<
    'GET',
    Path,
    { query: z.input<PageQuery>; body: undefined; answer: ListOf<Items, z.output<Row>> }
  >
  create: Endpoint<'POST', Path, Call<z.input<New>, z.output<Row>>>
  show: Endpoint<'GET', `${Path}/{id}`, Call<undefined, z.output<Row>>>
  update: Endpoint<'PUT', `${Path}/{id}`, Call<z.input<Changes>, z.output<Row>>>
  remove: Endpoint<'DELETE', `${Path}/{id}`, Call<undefined, z.output<typeof Deleted>>>
}

type PageQuery = ReturnType<typeof pageQuery>
type ListOf<Items extends string, Item> = { [Name in Items]: Item[] } & Page & { total: number }
interface Call<Body, Answer> {
  query: undefined
  body: Body
  answer: Answer
}

/** The endpoints that list, show, make, change and delete the things of a collection. */
export function endpointsOf<
  const Path extends string,
  const Items extends string,
  New extends z.ZodObject,
  Changes extends z.ZodObject,
  Row extends z.ZodObject,
  One extends Stored,
>(things: Collection<Path, Items, New, Changes, Row, One>): Endpoints<Path, Items, New, Changes, Row> {
  const { path, items, owner, access, summaries } = things
  const one = `${path}/{id}` as const
  return {
    list: endpoint({
      method: 'GET',
      path,
      owner,
      summary: summaries.list,
      query: pageQuery(),
      returns: listOf(items, things.Row),
      async run({ query }, context) {
        const { rows, total } = await things.list(context, query)
        return { [items]: rows, total, ...query } as never
      },
    }),
    create: endpoint({
      method: 'POST',
      path,
      ...{ owner, access },
      summary: summaries.create,
      body: things.New,
      returns: things.Row,
      status: 201,
      run: ({ body }, context) => things.add(context, body as z.output<New>),
    }),
    show: endpoint({
      method: 'GET',
      path: one,
      owner,
      summary: summaries.show,
      returns: things.Row,
      run: async ({ params }, context) => things.show(context, await things.require(context, idOf(params))),
    }),
    update: endpoint({
      method: 'PUT',
      path: one,
      ...{ owner, access },
      summary: summaries.update,
      body: things.Changes,
      before: ({ params }, context) => things.require(context, idOf(params)),
      returns: things.Row,
      run: ({ params, body }, context) => things.edit(context, idOf(params), body as z.output<Changes>),
    }),
    remove: removal({ path: one, ...{ owner, access }, summary: summaries.remove, remove: things.remove }),
  } as unknown as Endpoints<Path, Items, New, Changes, Row>
}

const idOf = (params: unknown) => (params as { id: string }).id

/** Whose verbs and logs these are: a collection, or another kind of thing with an address. */
interface Place<Path extends string> {
  path: Path
  owner?: Ownership
  access?: Access
}

interface Verb<Body extends z.ZodType | undefined, Answer> {
  summary: string
  body?: Body
  body_optional?: boolean
  returns: z.ZodType<Answer>
  status?: number
  /** Default: that of the collection. */
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
  Answer,
  Body extends z.ZodType | undefined = undefined,
>(
  { path, owner, access }: Place<Path>,
  name: Name,
  { run, recover, ...verb }: Verb<Body, Answer>,
) =>
  endpoint({
    ...{ owner, access },
    ...verb,
    method: 'POST',
    path: `${path}/{id}/${name}`,
    run: ({ params, body }, context) => run(context, idOf(params), body as never),
    recover: recover && (({ params }, context) => recover(context, idOf(params))),
  })

interface Log<Item extends z.ZodType, Query extends z.ZodRawShape, Items extends string> {
  summary: string
  item: Item
  /** The member of the answer. Default: the name. */
  items?: Items
  /** Filters beside `limit` and `offset`. */
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
  endpoint({
    method: 'GET',
    path: `${path}/{id}/${name}`,
    owner,
    summary,
    query: pageQuery().extend((query ?? {}) as Query),
    returns: listOf(items, item),
    async run({ params, query: filters }, context) {
      await require(context, idOf(params))
      const { limit, offset } = filters as { limit: number; offset: number }
      const page = await rows(context, idOf(params), filters as never)
      return { [items]: page.rows, total: page.total, limit, offset } as never
    },
  })
