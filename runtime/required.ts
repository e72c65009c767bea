import type { Context } from './context.ts'
import { notFound } from './fault.ts'

/** Like `find`, but a 404 for what is not found, for example `The job job_1 was not found`. */
export const required =
  <Entity>(what: string, find: (context: Context, id: string) => Promise<Entity | null>) =>
  async (context: Context, id: string): Promise<Entity> => {
    const found = await find(context, id)
    if (found === null) throw notFound(`The ${what} ${id}`)
    return found
  }
