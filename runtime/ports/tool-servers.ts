/** How to reach a tool server, with plaintext secrets. Kept in memory only while needed, and never logged. */
export type ToolServerAddress =
  | { transport: 'stdio'; command: string; args: readonly string[]; env: Readonly<Record<string, string>> }
  | { transport: 'http' | 'sse'; url: string; headers: Readonly<Record<string, string>> }

/** A tool as its server describes it. Untrusted. */
export interface ServerTool {
  name: string
  title: string | null
  description: string
  /** JSON Schema of an object. The server validates the input with it. */
  input_schema: Record<string, unknown>
  /** The effects that the server declares; null if it declares none. */
  read_only: boolean | null
  destructive: boolean | null
}

/** What a server asks the person who waits for a call: a form, or to open a page. Untrusted. */
export interface ServerQuestion {
  message: string
  /** JSON Schema of an object with flat members, which have titles, limits and `labels`; null for a page. */
  schema: Record<string, unknown> | null
  /** The page, over HTTP or HTTPS; null for a form. */
  url: string | null
}

export interface ServerAnswer {
  action: 'accept' | 'decline' | 'cancel'
  /** The members of an accepted form. */
  content?: Record<string, string | number | boolean | string[]>
}

export interface ServerCall {
  name: string
  input: Record<string, unknown>
  timeout_seconds: number
  /** On abort, the server is sent a cancellation. */
  signal: AbortSignal
  /** Called with a line per reported step, such as `2/5 reading`. */
  onProgress(line: string): void
  /** Asks the person, one question at a time; the time limit of the call rests meanwhile. Without it, questions are declined. */
  ask?(question: ServerQuestion, signal: AbortSignal): Promise<ServerAnswer>
}

export interface ServerResult {
  text: string
  /** Pictures, as base64. */
  images?: { mime_type: string; data: string }[]
  /** Structured content, if the server sends any. */
  structured: unknown
  is_error: boolean
}

/**
 * `idle`: never used. `restarting`: lost and reconnecting. `failed`: given up until the next call.
 */
export type LinkState = 'idle' | 'connecting' | 'connected' | 'restarting' | 'failed'

export interface LinkStatus {
  state: LinkState
  /** Milliseconds since the epoch; null while idle. */
  since: number | null
  /** Attempts since the last stable connection. */
  attempts: number
  next_try_at: number | null
  last_error: string | null
  /** The end of the process's error output; empty for servers over HTTP. */
  stderr: string
}

/** Status of a server that has not been used since startup. */
export const idleLink: LinkStatus = {
  state: 'idle',
  since: null,
  attempts: 0,
  next_try_at: null,
  last_error: null,
  stderr: '',
}

/** The server is unreachable or refused. The message is safe to show. */
export class ToolServerError extends Error {
  override name = 'ToolServerError'
}

export interface ConnectOptions {
  signal: AbortSignal
  /** Maximum age of a cached tool list. Without it, the tools are always listed again. */
  max_age_seconds?: number
}

/**
 * Connections to tool servers of the Model Context Protocol. A lost connection is restored in the
 * background with increasing delays. The secrets of the address are masked in all output.
 */
export interface ToolServers {
  /** The tools of a server. Connects if necessary. Throws `ToolServerError`. */
  connect(id: string, address: ToolServerAddress, options: ConnectOptions): Promise<readonly ServerTool[]>
  /** Its tools as last listed; null if not connected. */
  tools(id: string): readonly ServerTool[] | null
  /** Calls a tool of a connected server. Throws `ToolServerError` or the signal's reason. */
  call(id: string, call: ServerCall): Promise<ServerResult>
  /** Closes the connection and ends any process started for it. */
  disconnect(id: string): Promise<void>
  status(id: string): LinkStatus
  /** Calls the listener on every state change. Returns a function that unsubscribes it. */
  onChange(listener: LinkListener): () => void
}

export type LinkListener = (id: string, state: LinkState) => void
