import { z } from 'zod'
import type { Context } from '../context.ts'
import { notFound } from '../fault.ts'
import { iso } from '../time.ts'
import { tryOnce } from './throttle.ts'

/** A row that is opened by a link: the link has a random token, the row its hash. */
interface Linked {
  token_hash: string
  expires_at: string | null
}

/** What the answer that makes a link has besides its row. */
export const LinkSecret = {
  secret: z.string().meta({ description: 'The path of the link; its fragment is the token, which is not shown again' }),
}

/** The token of a new link, of which only the hash is stored, and the link's path. */
export function newLink({ secrets }: Pick<Context, 'secrets'>, page: string): { token: string; secret: string } {
  const token = secrets.random(32)
  return { token, secret: `${page}#${token}` }
}

/** The row that a link opens. A wrong, expired, used or revoked link is one and the same 404; wrong ones are limited. */
export async function openLink<Row extends Linked>(
  context: Context,
  token: string,
  find: (token_hash: string) => Promise<Row | null>,
): Promise<Row> {
  const row = await tryOnce(context, async () => {
    const linked = await find(context.secrets.sha256(token))
    return linked && (linked.expires_at === null || linked.expires_at > iso(context.clock.now())) ? linked : null
  })
  if (!row) throw notFound('This link')
  return row
}
