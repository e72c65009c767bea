import type { Context } from '../context.ts'
import { readBytes } from '../http/body.ts'
import { verifyStandard } from '../secrets/signatures.ts'
import { minute, second } from '../time.ts'
import { findNamed, requireNamed } from './credentials.ts'
import type { Fields } from './kinds.ts'
import { openFields } from './sealed.ts'
import { sign } from './sign.ts'

/** How far the time of a signature may be away, in milliseconds. */
const maxDistance = 5 * minute

/** Kinds that no request carries: tokens of OAuth 2 are known to their service only. */
const uncheckable: readonly Fields['kind'][] = ['oauth2', 'database']

/** Whether requests that arrive can be checked for a credential. */
export const isCheckable = async (context: Context, name: string): Promise<boolean> =>
  !uncheckable.includes((await requireNamed(context, name)).kind)

/**
 * A request that has arrived, if it carries a credential as `sign` adds it to those that are sent; else null, as for one that
 * was deleted. To check a signature, its body is read, at most `limit` bytes.
 */
export async function verified(
  context: Context,
  name: string,
  request: Request,
  limit: number,
): Promise<Request | null> {
  const credential = await findNamed(context, name)
  if (!credential) return null
  const fields = await openFields(context, credential)
  if (uncheckable.includes(fields.kind)) return null
  const isSigned = (fields.kind === 'hmac' || fields.kind === 'standard') && request.body !== null
  const body = isSigned ? await readBytes(request, limit) : null
  // The request of a server may be of another class than the `Request` that copies one.
  const { url, method, headers } = request
  const received = body ? new Request(url, { method, headers, body: body.slice() }) : request
  if (fields.kind === 'standard') {
    const message = { headers, body: body ?? new Uint8Array(), now: context.clock.now() }
    return (await verifyStandard(fields.secret ?? '', message)) ? received : null
  }
  const stamp = fields.kind === 'hmac' && fields.timestamp_header ? headers.get(fields.timestamp_header) : null
  const now = stamp === null ? context.clock.now() : Number(stamp) * second
  if (!(Math.abs(now - context.clock.now()) <= maxDistance)) return null
  const { origin, searchParams } = new URL(url)
  const expected = { url: new URL(origin), headers: new Headers(), body: body?.slice() ?? null }
  await sign(expected, { fields, now })
  const { sha256 } = context.secrets
  const isSame = (own: string | null, value: string) => own !== null && sha256(own) === sha256(value)
  const isCarried =
    [...expected.headers].every(([header, value]) => isSame(headers.get(header), value)) &&
    [...expected.url.searchParams].every(([key, value]) => isSame(searchParams.get(key), value))
  return isCarried ? received : null
}
