import { type ChildProcess, spawn } from 'node:child_process'
import { homedir } from 'node:os'
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { type ToolServerAddress, ToolServerError } from '../../runtime/ports/tool-servers.ts'
import { signalGroup } from '../process/programs.ts'

/** Characters of the error output that are kept. */
const tailLength = 8_192

/** A transport of JSON lines over the standard streams of a process. */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  /** The end of the process's error output. */
  stderr = ''
  readonly #buffer = new ReadBuffer()
  readonly #start: () => ChildProcess
  #child: ChildProcess | undefined
  #end: string | null = null

  /** @param start spawns the process with its three streams as pipes */
  constructor(start: () => ChildProcess) {
    this.#start = start
  }

  /** Why the process ended; null while it runs. */
  get end(): string | null {
    return this.#end
  }

  start(): Promise<void> {
    const child = this.#start()
    this.#child = child
    child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-tailLength)
    })
    child.stdin?.on('error', (error) => this.onerror?.(error))
    child.on('close', (code, signal) => {
      this.#end ??= code === null ? `It was killed by ${signal}` : `It exited with code ${code}`
      this.onclose?.()
    })
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', (error: NodeJS.ErrnoException) => {
        this.#end = error.code === 'ENOENT' ? `${child.spawnfile} is not installed here` : error.message
        reject(new ToolServerError(this.#end))
      })
    })
  }

  #read(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk)
    } catch (thrown) {
      this.onerror?.(thrown as Error)
      void this.close()
      return
    }
    while (this.#readOne()) {}
  }

  /** Output that is not JSON is ignored. */
  #readOne(): boolean {
    try {
      const message = this.#buffer.readMessage()
      if (message) this.onmessage?.(message)
      return message !== null
    } catch (thrown) {
      this.onerror?.(thrown as Error)
      return true
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    if (!this.#child?.stdin?.writable) throw new ToolServerError(this.#end ?? 'It is not running')
    this.#child.stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()))
    return promise
  }

  kill(): void {
    if (this.#child) signalGroup(this.#child)
  }

  async close(): Promise<void> {
    if (this.#child) await endGroup(this.#child)
  }
}

type Command = Extract<ToolServerAddress, { transport: 'stdio' }>

/**
 * Starts a command without a shell as the leader of its own process group, so that its children end with it.
 * It inherits only PATH and HOME, plus the configured variables.
 */
export function startGroup({ command, args, env }: Command): ChildProcess {
  const { PATH = '', HOME = homedir() } = process.env
  return spawn(command, [...args], {
    env: { PATH, HOME, ...env },
    cwd: homedir(),
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
    detached: true,
    windowsHide: true,
  })
}

/** Milliseconds for a process to exit after its input was closed, and again after SIGTERM. */
const grace = 1_000

/** Ends the whole group: by closing its input, then SIGTERM, then SIGKILL. */
async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return
  child.stdin?.end()
  if (!(await exited(child))) {
    signalGroup(child, 'SIGTERM')
    await exited(child)
  }
  // The leader may have exited while others of its group have not.
  signalGroup(child)
}

function exited(child: ChildProcess): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(true)
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), grace)
    child.once('exit', () => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}
