import { parentPort, workerData } from 'node:worker_threads'
import { ScriptEngine } from '../../runtime/sandbox/script-engine.ts'
import type { AnswerAsk, ScriptAsk, ScriptJob, ScriptOutcome } from '../../runtime/sandbox/script-job.ts'
import { errorMessage } from '../../runtime/thrown.ts'
import { loadQuickJs } from '../process/quickjs.ts'
import type { ScriptLibraries } from '../process/script-library.ts'
import { scriptNatives } from '../process/script-natives.ts'

/** The answer to a job. `{started: true}` comes before it: loading does not count as time of the code. */
export type ThreadAnswer = { outcome: ScriptOutcome } | { error: string }

/** A call of a function of the host. */
export interface ThreadAsk extends ScriptAsk {
  id: number
}
export type ThreadReply = { id: number } & ({ json: string } | { failed: string })

const engine = new ScriptEngine(
  loadQuickJs,
  () => performance.now(),
  (name) => (workerData as ScriptLibraries)[name] ?? '',
  scriptNatives,
)

/** Calls that the host has not answered. */
const open = new Map<number, PromiseWithResolvers<string>>()
let last = 0

const ask: AnswerAsk = (call) => {
  const answer = Promise.withResolvers<string>()
  last += 1
  open.set(last, answer)
  send({ ask: { id: last, ...call } })
  return answer.promise
}

parentPort?.on('message', (message: ScriptJob | ThreadReply) => ('id' in message ? receive(message) : work(message)))

function receive(reply: ThreadReply): void {
  const answer = open.get(reply.id)
  open.delete(reply.id)
  if ('json' in reply) answer?.resolve(reply.json)
  else answer?.reject(new Error(reply.failed))
}

async function work(job: ScriptJob): Promise<void> {
  try {
    await engine.prepare(job)
    send({ started: true })
    send({ outcome: await engine.run(job, ask) })
  } catch (thrown) {
    send({ error: errorMessage(thrown) })
  }
  await engine.prepare(job).catch(() => undefined)
}

const send = (message: ThreadAnswer | { started: true } | { ask: ThreadAsk }) => parentPort?.postMessage(message)
