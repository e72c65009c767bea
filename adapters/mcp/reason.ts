import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'

const longest = 1_000

/** Why it went wrong, for a person and a model to read. */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown).slice(0, longest)
  const { code } = thrown as Error & { code?: unknown }
  if (thrown instanceof McpError && thrown.code === ErrorCode.RequestTimeout)
    return 'It did not answer in time'
  if (code === 401 || code === 403) return `It wants a credential that it accepts (HTTP ${code})`
  const cause = thrown.cause instanceof Error ? thrown.cause : null
  const detail = cause ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : ''
  const text = detail === '' ? thrown.message : `${thrown.message}: ${detail}`
  return text.replace(/^MCP error -?\d+: /, '').slice(0, longest)
}

/** The server answered, if only with a refusal: the connection itself is fine. */
export function isAnswer(thrown: unknown): boolean {
  if (thrown instanceof McpError) return thrown.code !== ErrorCode.ConnectionClosed
  const { code = 0 } = thrown instanceof StreamableHTTPError ? thrown : {}
  return code >= 400 && code < 500 && code !== 404
}

/** The server no longer knows the session, so it has not looked at the request. */
export const isSessionLost = (thrown: unknown): boolean =>
  thrown instanceof StreamableHTTPError && thrown.code === 404
