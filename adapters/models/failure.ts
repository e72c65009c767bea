import { ModelError } from '../../runtime/ports/models.ts'
import { classifyError, type Failure } from './classify-error.ts'
import { isRecord } from './vendor-error.ts'

interface Scene {
  provider: string
  api_key?: string
  began: boolean
  /** Unix milliseconds. */
  now: number
}

/** Turns whatever a provider package or `fetch` threw, or put into its stream, into a `ModelError`. */
export function toModelError(error: unknown, { now, ...scene }: Scene): ModelError {
  if (error instanceof ModelError) return error
  if (isOurMistake(error) && !scene.began)
    return new ModelError('internal_error', `${scene.provider}: ${error.message}`)
  return classifyError({ ...scene, ...describe(error) }, now)
}

/** The rate-limit headers of a refused call. */
export function headersOf(error: unknown): Record<string, string> {
  return isRecord(error) && isRecord(error.responseHeaders)
    ? (error.responseHeaders as Record<string, string>)
    : {}
}

/** Errors of the packages that were raised before anything was sent: a file type the vendor cannot take, say. */
function isOurMistake(error: unknown): error is Error {
  return (
    error instanceof Error &&
    ['AI_UnsupportedFunctionalityError', 'AI_InvalidPromptError', 'AI_InvalidArgumentError'].includes(
      error.name,
    )
  )
}

type Description = Partial<Omit<Failure, 'provider' | 'api_key'>>

function describe(error: unknown): Description {
  if (!isRecord(error)) return { message: typeof error === 'string' ? error : undefined }
  if (error.statusCode === 200) return { ...describe(error.cause), began: true }
  if (typeof error.statusCode === 'number') return { ...describeRefusal(error), status: error.statusCode }
  if (isUnreadableChunk(error)) return describeChunk(error)
  if (error instanceof Error) return { message: describeNetwork(error) }
  return { body: JSON.stringify({ error }), status: statusOf(error.code) }
}

function describeRefusal(error: Record<string, unknown>): Description {
  const { type, code, message, data } = error
  return {
    headers: headersOf(error),
    body:
      typeof error.responseBody === 'string'
        ? error.responseBody
        : JSON.stringify({ type, code, message, error: data }),
  }
}

/** A chunk that is not JSON, or is JSON of another shape: some vendors send their error events that way. */
function isUnreadableChunk(error: Record<string, unknown>): boolean {
  return error.name === 'AI_JSONParseError' || error.name === 'AI_TypeValidationError'
}

function describeChunk({ value }: Record<string, unknown>): Description {
  const message = 'sent a chunk that cannot be read'
  if (!isRecord(value) || !(isRecord(value.error) || value.object === 'error')) return { message }
  return {
    message,
    body: JSON.stringify(value),
    status: isRecord(value.error) ? statusOf(value.error.code) : undefined,
  }
}

/** `fetch` hides the reason (`ECONNREFUSED`, a time limit) in the cause of its error. */
function describeNetwork(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : undefined
  const detail = cause ? describeNetwork(cause) : ''
  return detail && !error.message.includes(detail) ? `${error.message} (${detail})` : error.message
}

function statusOf(code: unknown): number | undefined {
  const status = Number(code)
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined
}
