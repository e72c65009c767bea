import { AsyncLocalStorage } from 'node:async_hooks'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  type CallToolResult,
  type ElicitRequest,
  ElicitRequestSchema,
  type ElicitRequestURLParams,
  type ElicitResult,
  ErrorCode,
  McpError,
  type Tool,
  ToolListChangedNotificationSchema,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/sdk/types.js'
import type { JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js'
import type { Clock } from '../../runtime/ports/clock.ts'
import type { Outbound } from '../../runtime/ports/outbound.ts'
import {
  type ServerCall,
  type ServerResult,
  type ServerTool,
  type ToolServerAddress,
  ToolServerError,
} from '../../runtime/ports/tool-servers.ts'
import { within } from '../../runtime/within.ts'
import { reasonOf, toQuestion, toServerResult, toServerTool } from './results.ts'
import { StdioTransport, startGroup } from './stdio.ts'

/** Milliseconds for a server to start; a package runner may have to download it first. */
const patience = 90_000
const maxTools = 1_000
/** Milliseconds. */
const relistPause = 1_000
/** Milliseconds after which the SDK gives up; the limits of calls are ours. */
const never = 2 ** 31 - 1

interface SessionOptions {
  address: ToolServerAddress
  clock: Clock
  outbound: Outbound
  version: string
  signal: AbortSignal
  /** The connection was lost. */
  onLost(error: Error): void
}

/** Asks the person of a call, after the earlier questions of the call. */
type AskPerson = (params: ElicitRequest['params'], signal: AbortSignal) => Promise<ElicitResult>

/** One connection to one server, from initialisation to close. */
export class Session {
  tools: readonly ServerTool[] = []
  /** When the tools were last listed, in milliseconds since the epoch. */
  listed_at = 0
  readonly #options: SessionOptions
  readonly #transport: Transport
  readonly #client: Client
  readonly #calls = new Set<AskPerson>()
  /** Over Streamable HTTP a question comes in the stream of its call, so that it is read in the context of the call. */
  readonly #asking = new AsyncLocalStorage<AskPerson>()
  #over = false
  #changed = false
  #listing = false

  constructor(options: SessionOptions) {
    this.#options = options
    this.#transport = transportFor(options)
    const capabilities = { elicitation: { form: {}, url: {} } }
    const settings = { capabilities, jsonSchemaValidator: anything }
    this.#client = new Client({ name: 'hearthd', version: options.version }, settings)
    this.#client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => this.#elicit(params, signal))
  }

  /** Initialises the session and lists the tools. Throws `ToolServerError`, leaving nothing running. */
  async start(): Promise<void> {
    const { signal } = this.#options
    try {
      await this.#client.connect(this.#transport, { timeout: patience, signal })
      await this.list()
    } catch (thrown) {
      const reason = this.#why(thrown)
      await this.close()
      throw new ToolServerError(reason)
    }
    this.#client.onclose = () => this.#lost(new Error('The connection was closed'))
    // The older transport would reconnect without initialising, which its server would reject.
    if (this.#transport instanceof SSEClientTransport) this.#client.onerror = (error) => this.#lost(error)
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => void this.#listAgain())
  }

  /** However often the server says that its tools changed, they are listed once at a time and at most once a second. */
  async #listAgain(): Promise<void> {
    const { clock, signal } = this.#options
    this.#changed = true
    if (this.#listing) return
    this.#listing = true
    while (this.#changed && !this.#over) {
      this.#changed = false
      await this.list().catch(() => undefined)
      await clock.after(relistPause, signal).catch(() => undefined)
    }
    this.#listing = false
  }

  #lost(error: Error): void {
    if (!this.#over) this.#options.onLost(new ToolServerError(this.#why(error)))
  }

  get stderr(): string {
    return this.#transport instanceof StdioTransport ? this.#transport.stderr : ''
  }

  /** Lists the tools again. */
  async list(): Promise<void> {
    const options = { timeout: patience, signal: this.#options.signal }
    const tools: Tool[] = []
    let cursor: string | undefined
    let more = this.#client.getServerCapabilities()?.tools !== undefined
    while (more) {
      const page = await this.#client.listTools(cursor === undefined ? {} : { cursor }, options)
      tools.push(...page.tools)
      cursor = page.nextCursor
      more = cursor !== undefined && tools.length < maxTools
    }
    this.tools = tools.slice(0, maxTools).flatMap((tool) => toServerTool(tool) ?? [])
    this.listed_at = this.#options.clock.now()
  }

  async call({ name, input, timeout_seconds, signal, onProgress, ask }: ServerCall): Promise<ServerResult> {
    const { clock } = this.#options
    const late = new McpError(ErrorCode.RequestTimeout, 'Request timed out')
    return within({ clock, signal }, { milliseconds: timeout_seconds * 1_000, late }, async (signal, hold) => {
      const ended = new AbortController()
      let last: Promise<unknown> = Promise.resolve()
      const askPerson: AskPerson = (params, withdrawn) => {
        if (!ask) return Promise.resolve({ action: 'decline' })
        const question = toQuestion(params)
        const over = AbortSignal.any([signal, withdrawn, ended.signal])
        const answer = last.then(() => hold(() => ask(question, over)))
        last = answer.catch(() => undefined)
        return answer.then(({ action, content }) => ({ action, ...(content && { content }) }))
      }
      this.#calls.add(askPerson)
      try {
        const call = () =>
          this.#client.callTool({ name, arguments: input }, undefined, {
            signal,
            timeout: never,
            onprogress: ({ progress, total, message = '' }) =>
              onProgress(`${total === undefined ? progress : `${progress}/${total}`} ${message}`.trim()),
          })
        return toServerResult((await this.#asking.run(askPerson, call)) as CallToolResult)
      } catch (thrown) {
        if (!(thrown instanceof UrlElicitationRequiredError)) throw thrown
        throw await afterPages(thrown.elicitations, (page) => askPerson(page, signal))
      } finally {
        this.#calls.delete(askPerson)
        ended.abort(new Error('The call has ended'))
      }
    })
  }

  /** A question is put to the person of its call. Where the transport does not say which that is, it must be the only one. */
  async #elicit(params: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult> {
    const [only = null, ...others] = this.#calls
    const call = this.#asking.getStore() ?? (others.length === 0 ? only : null)
    const unclear = 'It is not clear which of the running calls asks this; call again when the others have ended'
    if (!call) throw new McpError(ErrorCode.InvalidRequest, unclear)
    return call(params, signal)
  }

  /** The last output of a process is more useful than "connection lost". */
  #why(thrown: unknown): string {
    const { end = null, stderr = '' } = this.#transport instanceof StdioTransport ? this.#transport : {}
    if (end === null) return reasonOf(thrown)
    const lastLine = stderr.trimEnd().split('\n').at(-1) ?? ''
    return lastLine === '' ? end : `${end}: ${lastLine.slice(0, 500)}`
  }

  /** Kills the process at once, without waiting; used when this process exits. */
  kill(): void {
    if (this.#transport instanceof StdioTransport) this.#transport.kill()
  }

  async close(): Promise<void> {
    this.#over = true
    if (this.#transport instanceof StreamableHTTPClientTransport) {
      await Promise.race([this.#transport.terminateSession().catch(() => undefined), briefly()])
    }
    await this.#client.close().catch(() => undefined)
    await this.#transport.close().catch(() => undefined)
  }
}

/** The call needs pages that the person has to finish first; only they know when they have. */
async function afterPages(
  pages: readonly ElicitRequestURLParams[],
  ask: (page: ElicitRequestURLParams) => Promise<ElicitResult>,
): Promise<McpError> {
  for (const page of pages)
    if ((await ask(page)).action !== 'accept')
      return new McpError(ErrorCode.InvalidRequest, 'The person has not opened the page that this needs')
  return new McpError(
    ErrorCode.InvalidRequest,
    'The person has opened the page that this needs. Call it again when they say that they have finished there',
  )
}

const briefly = () => new Promise((resolve) => setTimeout(resolve, 1_000).unref())

function transportFor({ address, outbound }: SessionOptions): Transport {
  if (address.transport === 'stdio') return new StdioTransport(() => startGroup(address))
  const url = new URL(address.url)
  // A person configured this origin, so it may be private; redirect targets may not.
  const fetch = (target: string | URL, init?: RequestInit) =>
    outbound.fetch(target, init, { trusted_origins: [url.origin] })
  const requestInit = { headers: address.headers }
  return address.transport === 'http'
    ? (new StreamableHTTPClientTransport(url, { fetch, requestInit }) as Transport)
    : new SSEClientTransport(url, { fetch, requestInit })
}

/** Disables output validation: the SDK's default validator compiles untrusted schemas into code. */
const anything: jsonSchemaValidator = {
  getValidator<Value>(): JsonSchemaValidator<Value> {
    return (input) => ({ valid: true, data: input as Value, errorMessage: undefined })
  },
}
