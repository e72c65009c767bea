export interface Issue {
  path: string
  message: string
}

/** An error response of the daemon, or (status 0) no response at all. `message` can be shown unchanged. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly issues: Issue[]
  /** Seconds, if the daemon gave them. */
  readonly retry_after: number | null
  readonly request_id: string | null
  /** What would help, if the daemon knows. */
  readonly hint: string | null
  /** The models of a server whose test failed. */
  readonly models: string[] | null

  constructor(
    status: number,
    code: string,
    message: string,
    more: Partial<Pick<ApiError, 'issues' | 'retry_after' | 'request_id' | 'hint' | 'models'>> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.issues = more.issues ?? []
    this.retry_after = more.retry_after ?? null
    this.request_id = more.request_id ?? null
    this.hint = more.hint ?? null
    this.models = more.models ?? null
  }

  get offline(): boolean {
    return this.status === 0
  }
}

interface ErrorBody {
  error?: string
  message?: string
  issues?: Issue[]
  /** The specific failure, if `error` covers several. */
  code?: string
  hint?: string
  models?: string[]
}

/** The error in a response that is not a success, in either of the two shapes. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody
  const message = body.message ?? body.error ?? `hearthd answered ${response.status}`
  const retryAfter = Number(response.headers.get('retry-after'))
  return new ApiError(response.status, codeOf(body), message, {
    issues: body.issues ?? [],
    retry_after: retryAfter > 0 ? retryAfter : null,
    request_id: response.headers.get('x-request-id'),
    hint: body.hint ?? null,
    models: body.models ?? null,
  })
}

const codeOf = ({ code, error, message }: ErrorBody) => code ?? (message ? (error ?? 'error') : 'unauthorized')

export const unreachable = () => new ApiError(0, 'offline', 'hearthd cannot be reached. Is it running on this address?')

/** One sentence for a person, whatever was thrown. */
export function readable(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : 'Something went wrong'
  if (error.status === 403) return `${error.message}. Your account may not do this.`
  if (error.status === 429 && error.retry_after) return `${error.message} (wait ${error.retry_after} s)`
  return error.message
}

/** The messages of a 422 by field, for a form. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  return Object.fromEntries(error.issues.map((issue) => [issue.path, issue.message]))
}

/** Whether a retry may help: not if the request itself was invalid. */
export function worthRetrying(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500 || error.status === 429
}
