import * as control from '../../handlers/loops/control.ts'
import * as loops from '../../handlers/loops/loops.ts'
import type { Host } from '../../runtime/host.ts'
import type { Loop, LoopDetails, NewLoop, Verdict } from '../../runtime/loops/schema.ts'
import type { ModelCall } from '../../runtime/ports/models.ts'
import { projectModels, wants } from '../projects/kit.ts'
import { configure } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { type Step, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

export const verdictStep = (verdict: Partial<Verdict>): Step =>
  toolCall('submit_verdict', { score: 0, complete: false, missing: [], evidence: 'seen', ...verdict })

export const notYet = verdictStep({ score: 40, missing: ['more tea'] })
export const done = verdictStep({ score: 100, complete: true })

type Script = (call: ModelCall, asked: string) => Step | undefined

/** A host whose judge says `verdicts` in order and then that the goal is reached, and whose agent works by `script`. */
export async function loopHost(
  verdicts: Step[],
  script: Script = () => undefined,
  options: Parameters<typeof testHost>[0] = {},
) {
  const left = [...verdicts]
  const models = projectModels((modelCall, asked) =>
    wants(modelCall, 'submit_verdict') ? (left.shift() ?? done) : script(modelCall, asked),
  )
  const host = await testHost({ ...options, models })
  await configure(host, ['anthropic'])
  return { host, models }
}

/** An agent that writes another file in each iteration. */
export function writer(): Script {
  let count = 0
  return ({ messages }) => {
    if (messages.at(-1)?.role === 'tool') return undefined
    count += 1
    return toolCall('files', { action: 'write', path: `${count}.txt`, content: `tea ${count}` })
  }
}

export async function newLoop(host: Host, input: Partial<NewLoop> = {}): Promise<Loop> {
  return (await call(loops.create, host, { body: { goal: 'Brew tea', ...input } })).json()
}

export const shown = async (host: Host, id: string): Promise<LoopDetails> =>
  (await call(loops.show, host, { params: { id } })).json()

const { start, pause, resume, stop } = control
const verbs = { start, pause, resume, stop }

export const act = (host: Host, id: string, verb: keyof typeof verbs): Promise<Response> =>
  call(verbs[verb], host, { params: { id } })

/** Starts a loop and runs it until it waits or ends. */
export async function ran(host: Host, input: Partial<NewLoop> = {}): Promise<LoopDetails> {
  const { id } = await newLoop(host, input)
  const response = await act(host, id, 'start')
  if (response.status !== 202) throw new Error(await response.text())
  await workOff(host)
  return shown(host, id)
}
