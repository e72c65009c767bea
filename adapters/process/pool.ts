import { ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import type { Clock } from '../../runtime/ports/clock.ts'

type Member = ChildProcess | Worker

export interface PoolOptions<Kind extends Member> {
  clock: Clock
  /** Milliseconds without a job after which all members end. */
  idle_ms: number
  /** Default: 1. */
  max?: number
  start(): Kind
  /** The failure of a job whose member was lost, and of all jobs when the pool is closed. */
  failure(why: string): Error
  /** Ends a member whose job was aborted or failed, because it may still be running. Default: it stays. */
  strict?: boolean
}

export interface JobOptions {
  signal?: AbortSignal | undefined
  /** Before all jobs that are not urgent. */
  urgent?: boolean
  /** Called when a member says `{started: true}`, before its answer. */
  onStart?(): void
  /** Called when a member says `{ask}`, before its answer. `reply` sends it a message. */
  onAsk?(ask: unknown, reply: (message: object) => void): void
}

interface Job<Question, Answer> extends JobOptions {
  question: Question
  promise: Promise<Answer>
  resolve(answer: Answer): void
  reject(reason: unknown): void
}

/**
 * Threads or processes that start with the first job, do one job at a time, and end when they are idle. An answer with
 * the member `error` is a failed job.
 */
export class Pool<Kind extends Member, Question extends object, Answer extends object> {
  /** Those that run. */
  readonly members = new Set<Kind>()
  readonly #options: PoolOptions<Kind>
  #free: Kind[] = []
  #queue: Job<Question, Answer>[] = []
  #idle = new AbortController()

  constructor(options: PoolOptions<Kind>) {
    this.#options = options
  }

  async run(question: Question, options: JobOptions = {}): Promise<Answer> {
    const { signal } = options
    signal?.throwIfAborted()
    const job = { question, ...options, ...Promise.withResolvers<Answer>() }
    const abort = () => {
      this.#queue = this.#queue.filter((other) => other !== job)
      job.reject(signal?.reason)
    }
    signal?.addEventListener('abort', abort, { once: true })
    this.#queue.push(job)
    this.#next()
    return job.promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  async close(): Promise<void> {
    for (const { reject } of this.#queue.splice(0)) reject(this.#options.failure('it was closed'))
    await this.#end([...this.members])
  }

  #next(): void {
    const { max = 1 } = this.#options
    const job = this.#queue.find(({ urgent }) => urgent) ?? this.#queue[0]
    const member = job && (this.#free.pop() ?? (this.members.size < max ? this.#start() : undefined))
    if (!member) return
    this.#queue = this.#queue.filter((other) => other !== job)
    this.#idle.abort()
    void this.#work(member, job)
  }

  #start(): Kind {
    const member = this.#options.start()
    const lose = () => {
      this.#free = this.#free.filter((other) => other !== member)
      if (this.members.delete(member)) this.#next()
    }
    // A process that cannot start has no exit.
    member.on('error', lose).on('exit', lose)
    this.members.add(member)
    return member
  }

  async #work(
    member: Kind,
    { question, onStart, onAsk, promise, resolve, reject }: Job<Question, Answer>,
  ): Promise<void> {
    const { failure, strict = false } = this.#options
    const isUsable = Promise.withResolvers<boolean>()
    const send = (message: object) => {
      if (member instanceof ChildProcess) member.send(message)
      else member.postMessage(message)
    }
    const receive = (answer: Answer | { started: true } | { ask: unknown }) => {
      if ('started' in answer) return onStart?.()
      if ('ask' in answer) return onAsk?.(answer.ask, send)
      resolve(answer)
      isUsable.resolve(!strict || !('error' in answer))
    }
    const lose = (cause: unknown) => {
      const ended = `its ${member instanceof ChildProcess ? 'process' : 'thread'} has ended`
      reject(failure(cause instanceof Error ? cause.message : ended))
      isUsable.resolve(false)
    }
    member.on('message', receive).on('error', lose).on('exit', lose)
    promise.catch(() => strict && isUsable.resolve(false))
    hold(member, true)
    send(question)
    const isReturned = await isUsable.promise
    member.off('message', receive).off('error', lose).off('exit', lose)
    if (isReturned && this.members.has(member)) {
      hold(member, false)
      this.#free.push(member)
    } else await this.#end([member])
    this.#next()
    if (this.#free.length === this.members.size) this.#endWhenIdle()
  }

  #endWhenIdle(): void {
    this.#idle = new AbortController()
    this.#options.clock.after(this.#options.idle_ms, this.#idle.signal).then(
      () => this.close(),
      () => undefined,
    )
  }

  async #end(members: readonly Kind[]): Promise<void> {
    this.#idle.abort()
    this.#free = this.#free.filter((member) => !members.includes(member))
    for (const member of members) this.members.delete(member)
    await Promise.all(members.map(end))
  }
}

/** Whether a member keeps this process alive. */
function hold(member: Member, held: boolean): void {
  const both = member instanceof ChildProcess ? [member, member.channel] : [member]
  for (const one of both) held ? one?.ref() : one?.unref()
}

async function end(member: Member): Promise<void> {
  if (!(member instanceof ChildProcess)) return void (await member.terminate())
  if (member.exitCode !== null || member.signalCode !== null || !member.kill('SIGKILL')) return
  hold(member, true)
  await once(member, 'exit')
}

/** Starts a module of ours in a process of its own, with the compile cache and no other variable of this process. */
export function startModule(
  module: URL,
  { max_mb, quiet = false }: { max_mb?: number | undefined; quiet?: boolean } = {},
) {
  const cache = getCompileCacheDir()
  return fork(module, {
    serialization: 'advanced',
    ...(quiet && { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }),
    execArgv: max_mb === undefined ? [] : [`--max-old-space-size=${max_mb}`],
    env: cache ? { NODE_COMPILE_CACHE: dirname(cache) } : {},
  })
}
