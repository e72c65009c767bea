import type { Context } from '../context.ts'
import { endpoint } from './endpoint.ts'
import type { Access, Ownership } from './endpoint-info.ts'
import { Deleted } from './page.ts'

interface Removal<Path extends string> {
  /** Its only parameter identifies what is deleted. */
  path: Path
  summary: string
  access?: Access
  owner?: Ownership
  remove(context: Context, id: string): Promise<unknown>
}

/** The endpoint that deletes one thing. */
export const removal = <const Path extends string>({ path, remove, ...definition }: Removal<Path>) =>
  endpoint<'DELETE', Path, { deleted: true; id: string }>(`DELETE ${path}`, {
    ...definition,
    returns: Deleted,
    async run({ params }, context) {
      const [id = ''] = Object.values(params as Record<string, string>)
      await remove(context, id)
      return { deleted: true, id }
    },
  })
