/** How to reach a tool server, with its secrets in the clear: held in memory while it is needed, and never logged. */
export type ToolServerAddress =
  | { transport: 'stdio'; command: string; args: readonly string[]; env: Readonly<Record<string, string>> }
  | { transport: 'http' | 'sse'; url: string; headers: Readonly<Record<string, string>> }

/** A tool as its server describes it. All of it is somebody else's text. */
export interface ServerTool {
  name: string
  title: string | null
  description: string
  /** JSON Schema of an object; the server checks its input by it. */
  input_schema: Record<string, unknown>
  /** What the server says of its effects; null where it says nothing. */
  read_only: boolean | null
  destructive: boolean | null
}

export interface ServerCall {
  name: string
  input: Record<string, unknown>
  timeout_seconds: number
  /** Aborted: the server is told to give up. */
  signal: AbortSignal
  /** A line for each step that the server tells of, such as `2/5 reading`. */
  onProgress(line: string): void
}

export interface ServerResult {
  text: string
  /** JSON beside the text, where the server gives it. */
  structured: unknown
  is_error: boolean
}

/**
 * `idle` was never asked for, `restarting` was lost and is being tried again, `failed` waits until it is asked for.
 */
export type LinkState = 'idle' | 'connecting' | 'connected' | 'restarting' | 'failed'

export interface LinkStatus {
  state: LinkState
  /** Milliseconds since the epoch; null while idle. */
  since: number | null
  /** Tries since it last worked for a while. */
  attempts: number
  next_try_at: number | null
  last_error: string | null
  /** The end of what the process wrote to its error output; empty for servers that are reached over HTTP. */
  stderr: string
}

/** Of a server that nobody has asked for since the start. */
export const idleLink: LinkStatus = {
  state: 'idle',
  since: null,
  attempts: 0,
  next_try_at: null,
  last_error: null,
  stderr: '',
}

/** The server cannot be reached, or has refused. The message is safe to show. */
export class ToolServerError extends Error {
  override name = 'ToolServerError'
}

export interface ConnectOptions {
  signal: AbortSignal
  /** A list of tools that is younger is good enough; without it they are asked for anew. */
  max_age_seconds?: number
}

/**
 * Connections to tool servers of the Model Context Protocol. One that breaks is restored with growing pauses, beside
 * whatever else goes on. Secrets of the address are masked in everything that comes back.
 */
export interface ToolServers {
  /** The tools of a server, which is connected if it is not already. Throws `ToolServerError`. */
  connect(id: string, address: ToolServerAddress, options: ConnectOptions): Promise<readonly ServerTool[]>
  /** Its tools as they were last told; null while there is no connection. */
  tools(id: string): readonly ServerTool[] | null
  /** Calls a tool of a connected server. Throws `ToolServerError`, or the reason of the signal. */
  call(id: string, call: ServerCall): Promise<ServerResult>
  /** Ends the connection and whatever was started for it. */
  disconnect(id: string): Promise<void>
  status(id: string): LinkStatus
  /** Told whenever a connection changes its state; returns how to stop listening. */
  onChange(listener: LinkListener): () => void
}

export type LinkListener = (id: string, state: LinkState) => void
