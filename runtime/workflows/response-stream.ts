import type { Context } from '../context.ts'
import { unlessAborted } from '../within.ts'
import { type HookResponse, responseOf, type TextWriter, type WaitingCall } from './hook-response.ts'

/** Characters and files that wait for a slow caller; a run that gives more is too fast for it, and the response ends. */
const maxWaiting = 16 * 1024 * 1024

type PieceType = 'begin' | 'item' | 'end'
type Node = Parameters<NonNullable<WaitingCall['writer']>>[0]

const sizeOf = ({ body }: HookResponse): number => (typeof body === 'string' ? body.length : 1)

interface Writer {
  waiting: HookResponse[]
  ended: boolean
}

/** What a run gives the caller of its webhook, until it ends: what began first is whole before the next. */
export class Responses {
  #ready: HookResponse[] = []
  #size = 0
  #writers: Writer[] = []
  #end: 'succeeded' | 'failed' | null = null
  #changed = Promise.withResolvers<void>()
  #isOver = false

  /** A whole response. */
  push(response: HookResponse): void {
    const { write, end } = this.#begin()
    write(response)
    end()
  }

  #begin() {
    const writer: Writer = { waiting: [], ended: false }
    this.#writers.push(writer)
    const write = (response: HookResponse) => {
      this.#size += sizeOf(response)
      if (this.#size > maxWaiting) this.end('failed')
      if (this.#end === null) writer.waiting.push(response)
      this.#advance()
    }
    const end = () => {
      writer.ended = true
      this.#advance()
    }
    return { write, end }
  }

  /** The text of a model, which comes in pieces. */
  writer(toResponse: (type: PieceType, text: string) => HookResponse | null): TextWriter {
    const { write, end } = this.#begin()
    let hasBegun = false
    const give = (type: PieceType, text = '') => {
      const response = toResponse(type, text)
      if (response) write(response)
    }
    return {
      write(text) {
        if (!hasBegun) give('begin')
        hasBegun = true
        give('item', text)
      },
      end() {
        if (hasBegun) give('end')
        end()
      },
      fail: () => {
        if (hasBegun) this.end('failed')
        end()
      },
    }
  }

  end(outcome: 'succeeded' | 'failed'): void {
    if (outcome === 'failed') this.#end ??= outcome
    this.#isOver = true
    this.#advance()
  }

  #advance(): void {
    for (let first = this.#writers[0]; first; first = this.#writers[0]) {
      this.#ready.push(...first.waiting.splice(0))
      if (!first.ended) break
      this.#writers.shift()
    }
    if (this.#isOver && this.#writers.length === 0) this.#end ??= 'succeeded'
    this.#changed.resolve()
  }

  /** The next one, or how the run ended. */
  async next(signal: AbortSignal): Promise<HookResponse | 'succeeded' | 'failed'> {
    for (;;) {
      const response = this.#ready.shift()
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

const plain = { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } }
const lines = {
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' },
}

/** The text as it is, or a line of JSON for each piece, as the chat clients of n8n read it. */
const pieceOf = {
  text: () => (type: PieceType, body: string) => (type === 'item' ? { ...plain, body } : null),
  json_lines:
    ({ id, name }: Node, now: () => number) =>
    (type: PieceType, content: string) => ({
      ...lines,
      body: `${JSON.stringify({
        type,
        ...(type === 'item' && { content }),
        metadata: { nodeId: id, nodeName: name, timestamp: now() },
      })}\n`,
    }),
}

/** A call whose response is a stream. */
export function streamingCall(
  responses: Responses,
  format: keyof typeof pieceOf,
  { clock }: Pick<Context, 'clock'>,
): WaitingCall {
  const writer = (node: Node) => responses.writer(pieceOf[format](node, () => clock.now()))
  return {
    writer,
    notify(news) {
      if (typeof news === 'string') return responses.end(news)
      if (format === 'text' || typeof news.body !== 'string') return responses.push(news)
      const whole = writer({ id: '', name: '' })
      whole.write(news.body)
      whole.end()
    },
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
