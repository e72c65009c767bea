import { type IncomingMessage, request } from 'node:http'
import type { Duplex } from 'node:stream'
import { type CommandOutput, SandboxError } from '../../runtime/ports/sandbox.ts'

interface Call {
  method?: 'GET' | 'POST' | 'DELETE'
  body?: unknown
  /** Error statuses that are accepted. Default: none. */
  allow?: readonly number[]
  signal?: AbortSignal
  /** Time limit for the whole response, in milliseconds. Default: that of the engine. */
  time_limit?: number
}

interface Answer {
  status: number
  json: unknown
}

/** Characters of an answer; lists of containers are far smaller. */
const maxAnswer = 16 * 1024 * 1024

/** The Engine API of docker, which podman serves too, on a Unix socket. */
export class EngineApi {
  readonly socket: string
  /** Time limit for a response, in milliseconds. */
  readonly #timeLimit: number

  constructor(socket: string, timeLimit: number) {
    this.socket = socket
    this.#timeLimit = timeLimit
  }

  /** Throws `SandboxError` with what the engine says. */
  async call(path: string, { allow = [], time_limit, ...call }: Call = {}): Promise<Answer> {
    const limit = time_limit ?? this.#timeLimit
    const late = AbortSignal.timeout(limit)
    const signal = call.signal ? AbortSignal.any([call.signal, late]) : late
    try {
      const response = await this.#open(path, { ...call, signal })
      const text = await textOf(response)
      const status = response.statusCode ?? 0
      const json = parse(text)
      if (status < 400 || allow.includes(status)) return { status, json }
      throw new SandboxError(messageOf(json) ?? `The engine returned ${status}`)
    } catch (thrown) {
      call.signal?.throwIfAborted()
      throw late.aborted ? tooLate(limit) : thrown
    }
  }

  /** A stream of frames in both directions. Podman and docker upgrade the connection; proxies may not. */
  async hijack(path: string, body: unknown, signal: AbortSignal): Promise<Duplex | IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<Duplex | IncomingMessage>()
    const sent = this.#request(path, {
      method: 'POST',
      body,
      signal,
      headers: { connection: 'Upgrade', upgrade: 'tcp' },
    })
    const late = setTimeout(() => sent.destroy(tooLate(this.#timeLimit)), this.#timeLimit)
    sent.on('error', (cause) => reject(cause instanceof SandboxError ? cause : unreachable(cause)))
    sent.on('upgrade', (_, socket: Duplex, head: Buffer) => {
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    sent.on('response', async (response: IncomingMessage) => {
      if ((response.statusCode ?? 0) < 400) return resolve(response)
      const text = await textOf(response).catch(() => '')
      reject(new SandboxError(messageOf(parse(text)) ?? `The engine returned ${response.statusCode}`))
    })
    return promise.finally(() => clearTimeout(late))
  }

  #open(path: string, call: Omit<Call, 'allow' | 'time_limit'>): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const sent = this.#request(path, call)
    sent.on('response', resolve)
    sent.on('error', (cause) => reject(call.signal?.aborted ? call.signal.reason : unreachable(cause)))
    return promise
  }

  #request(
    path: string,
    {
      method = 'GET',
      body,
      signal,
      headers = {},
    }: Omit<Call, 'allow' | 'time_limit'> & { headers?: Record<string, string> },
  ) {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const sent = request({
      socketPath: this.socket,
      path: `/v1.41${path}`,
      method,
      headers: {
        host: 'localhost',
        ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
        ...headers,
      },
      ...(signal && { signal }),
    })
    sent.end(bytes)
    return sent
  }
}

const tooLate = (limit: number) => new SandboxError(`The engine did not respond within ${limit / 1_000} s`)

const unreachable = (cause: Error) => new SandboxError(`The engine cannot be reached: ${cause.message}`)

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of response.setEncoding('utf8')) {
    text += piece
    if (text.length > maxAnswer) throw new SandboxError('The answer of the engine is too long')
  }
  return text
}

/** The last of several values of a progress stream. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const lines = text.trim().split('\n')
    try {
      return JSON.parse(lines.at(-1) ?? '')
    } catch {
      return null
    }
  }
}

function messageOf(json: unknown): string | null {
  const { message, error } = (json ?? {}) as { message?: unknown; error?: unknown }
  const text = message ?? error
  return typeof text === 'string' ? text.slice(0, 500) : null
}

const headerBytes = 8
/** Far more than engines send at once. */
const maxFrame = 16 * 1024 * 1024

/**
 * Output in frames: a byte for the stream, three that are zero, and the length of the content.
 * https://docs.docker.com/reference/api/engine/version/v1.41/#tag/Container/operation/ContainerAttach
 */
export async function* readFrames(stream: AsyncIterable<Buffer>): AsyncGenerator<CommandOutput, void> {
  let left: Buffer = Buffer.alloc(0)
  for await (const piece of stream) {
    left = left.length === 0 ? piece : Buffer.concat([left, piece])
    while (left.length >= headerBytes) {
      const length = left.readUInt32BE(4)
      if (length > maxFrame) throw new SandboxError('The engine sent an invalid frame')
      if (left.length < headerBytes + length) break
      const bytes = left.subarray(headerBytes, headerBytes + length)
      if (length > 0) yield { stream: left[0] === 2 ? 'stderr' : 'stdout', bytes }
      left = left.subarray(headerBytes + length)
    }
  }
}
