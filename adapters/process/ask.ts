import { once } from 'node:events'
import { startModule } from './pool.ts'

interface ProcessCall {
  /** Answers its first message with one message. */
  module: URL
  question: object
  /** JavaScript memory of the process in MB. */
  max_mb?: number
  signal?: AbortSignal | undefined
}

/** The process ended without an answer. */
export class ProcessLost extends Error {}

/**
 * Sends one question to a new process and ends it after the answer. A thread is not safe for hostile input or
 * native modules: one that exceeds its memory, or is ended inside a native call, aborts the daemon.
 * @throws {ProcessLost} or the signal's reason.
 */
export async function askProcess<Answer>({ module, question, max_mb, signal }: ProcessCall): Promise<Answer> {
  signal?.throwIfAborted()
  const child = startModule(module, { max_mb, quiet: true })
  const exited = once(child, 'exit').catch(() => undefined)
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const abort = () => reject(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  child.on('message', (answer: Answer) => resolve(answer))
  child.on('error', ({ message }) => reject(new ProcessLost(message)))
  child.on('exit', () => reject(new ProcessLost('its process has ended')))
  child.send(question)
  try {
    return await promise
  } finally {
    signal?.removeEventListener('abort', abort)
    child.kill('SIGKILL')
    await exited
  }
}
