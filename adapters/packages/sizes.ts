import type { Outbound } from '../../runtime/ports/outbound.ts'

/** Milliseconds that a registry may take to tell one size. */
const patience = 10_000

/** Bytes of an archive, as its server tells before it is fetched; null when it does not. */
export async function sizeOf(
  outbound: Outbound,
  url: string | undefined,
  signal: AbortSignal,
): Promise<number | null> {
  if (!url || !/^https?:/.test(url)) return null
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(patience)])
    // npm itself goes there, by the registry that the owner of this machine has set.
    const trusted_origins = [new URL(url).origin]
    const response = await outbound.fetch(url, { method: 'HEAD', signal: limit }, { trusted_origins })
    const length = response.ok ? Number(response.headers.get('content-length')) : 0
    return Number.isSafeInteger(length) && length > 0 ? length : null
  } catch {
    return null
  }
}
