import type { z } from 'zod'
import type { Collection } from '../collection.ts'
import type { Context } from '../context.ts'
import { type Endpoint, endpoint } from './endpoint.ts'
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
  const { path, items, owner, summaries } = things
  const one = `${path}/{id}` as const
  const access = things.access
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

type Place<Path extends string> = Pick<
  Collection<Path, string, z.ZodObject, z.ZodObject, z.ZodObject, Stored>,
  'path' | 'owner' | 'access'
>

interface Verb<Body extends z.ZodType | undefined, Answer> {
  summary: string
  body?: Body
  body_optional?: boolean
  returns: z.ZodType<Answer>
  status?: number
  acts_outside?: boolean
  run(
    context: Context,
    id: string,
    body: Body extends z.ZodType ? z.output<Body> : undefined,
  ): Promise<NoInfer<Answer>> | NoInfer<Answer>
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
  { run, ...verb }: Verb<Body, Answer>,
) =>
  endpoint({
    ...verb,
    method: 'POST',
    path: `${path}/{id}/${name}`,
    ...{ owner, access },
    run: ({ params, body }, context) => run(context, idOf(params), body as never),
  })

interface Log<Item extends z.ZodType, Query extends z.ZodRawShape> {
  summary: string
  item: Item
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
>(
  things: Place<Path> & { require(context: Context, id: string): Promise<unknown> },
  name: Name,
  { summary, item, query, rows }: Log<Item, Query>,
) =>
  endpoint({
    method: 'GET',
    path: `${things.path}/{id}/${name}`,
    owner: things.owner,
    summary,
    query: pageQuery().extend((query ?? {}) as Query),
    returns: listOf(name, item),
    async run({ params, query: asked }, context) {
      await things.require(context, idOf(params))
      const { limit, offset } = asked as { limit: number; offset: number }
      const page = await rows(context, idOf(params), asked as never)
      return { [name]: page.rows, total: page.total, limit, offset } as never
    },
  })
