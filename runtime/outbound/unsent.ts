/** Errors of a request that found no server or made no connection. */
const codes = new Set([
  ...['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'ECONNREFUSED', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH'],
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Errors of a certificate, which is checked before anything is sent. */
const certificate = /^(?:CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/

/**
 * Whether a request that failed certainly did not reach the server, so that it can be sent again. After a time limit or a
 * cut connection, it is unknown what the server has done.
 */
export function isUnsent(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (syscall === 'connect' || syscall === 'getaddrinfo') return true
  if (typeof code === 'string' && (codes.has(code) || certificate.test(code))) return true
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(isUnsent)
  return isUnsent(error.cause)
}
