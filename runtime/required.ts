import type { Context } from './context.ts'
import { notFound } from './fault.ts'

/** Like `find`, but throws a 404 if there is no such thing, for example `The job job_1 was not found`. */
export const required =
  <Entity>(what: string, find: (context: Context, id: string) => Promise<Entity | null>) =>
  async (context: Context, id: string): Promise<Entity> => {
    const row = await find(context, id)
    if (row === null) throw notFound(`The ${what} ${id}`)
    return row
  }
