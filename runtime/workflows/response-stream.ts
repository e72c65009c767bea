import type { Context } from '../context.ts'
import { unlessAborted } from '../within.ts'
import { type HookResponse, responseOf } from './hook-response.ts'

/** Characters and files that wait for a slow caller; a run that gives more is too fast for it, and the response ends. */
const maxWaiting = 16 * 1024 * 1024

const sizeOf = ({ body }: HookResponse): number => (typeof body === 'string' ? body.length : 1)

/** What the respond nodes of a run give, in order, until it ends. */
export class Responses {
  #waiting: HookResponse[] = []
  #size = 0
  #end: 'succeeded' | 'failed' | null = null
  #changed = Promise.withResolvers<void>()

  push(response: HookResponse): void {
    this.#size += sizeOf(response)
    if (this.#size > maxWaiting) this.end('failed')
    if (this.#end === null) this.#waiting.push(response)
    this.#changed.resolve()
  }

  end(outcome: 'succeeded' | 'failed'): void {
    this.#end ??= outcome
    this.#changed.resolve()
  }

  /** The next one, or how the run ended. */
  async next(signal: AbortSignal): Promise<HookResponse | 'succeeded' | 'failed'> {
    for (;;) {
      const response = this.#waiting.shift()
      if (response) {
        this.#size -= sizeOf(response)
        return response
      }
      if (this.#end !== null) return this.#end
      this.#changed = Promise.withResolvers<void>()
      await unlessAborted(this.#changed.promise, signal)
    }
  }
}

interface Streaming {
  first: HookResponse
  responses: Responses
  close(): void
}

/**
 * The first response with the bodies of all that follow. Its status and headers are those of the first. The connection is
 * cut if the run fails, so that the caller does not take what it has for the whole.
 */
export async function streamedResponse(context: Context, { first, responses, close }: Streaming): Promise<Response> {
  const { status, headers } = await responseOf(context, { ...first, body: null })
  const left = new AbortController()
  const signal = AbortSignal.any([context.signal, left.signal])
  const chunks = chunksOf(context, { first, responses, signal })
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next()
        if (!done) return controller.enqueue(value)
        close()
        controller.close()
      } catch (thrown) {
        close()
        controller.error(thrown)
      }
    },
    async cancel() {
      left.abort()
      close()
      await chunks.return()
    },
  })
  headers.delete('content-length')
  return new Response(body, { status, headers })
}

async function* chunksOf(
  context: Context,
  { first, responses, signal }: { first: HookResponse; responses: Responses; signal: AbortSignal },
): AsyncGenerator<Uint8Array, void> {
  let next: Awaited<ReturnType<Responses['next']>> = first
  while (typeof next !== 'string') {
    const { body } = await responseOf(context, next)
    for await (const chunk of body ?? []) yield chunk
    next = await responses.next(signal)
  }
  if (next === 'failed') throw new Error('The workflow did not succeed')
}
