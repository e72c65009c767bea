import { compose, composeFailure } from './compose.ts'
import type { Turn } from './conversation.ts'
import { bestMatch, type Candidate, type Clause, isUsable, route } from './match.ts'
import { lacks, needsEnglish } from './notice.ts'
import phrases from './phrases.json' with { type: 'json' }
import { mayReferBack } from './sources.ts'
import { joinList } from './text.ts'
import { type Material, type Outcome, type Scene, type Script, type Step, speak } from './types.ts'

export interface PlannedCall {
  /** The step and clause of the call: the end of its id, by which its result is found again. */
  key: string
  name: string
  input: Record<string, unknown>
}

export interface Reply {
  text: string
  calls: PlannedCall[]
}

const NOTHING: Outcome = { id: '', name: '', input: {}, output: null, failed: false }

/**
 * The questions that this model asks, with `*` for any text, and the request that the answer (`@`) and that
 * text (`*`) make.
 */
const questions = Object.entries(phrases.questions).map(([question, request]) => {
  const source = question.replace(/[.?()]/g, '\\$&').replace('*', '(.+)')
  return { pattern: new RegExp(`^${source}`, 'm'), request, isOffer: /^Shall/.test(question) }
})

const YES = /^(?:yes|yeah|yep|sure|ok|okay|do it|go ahead|correct|right|of course)(?: please| do)?[,.! ]*$/i
const NO =
  /^(?:no|nope|nah|never ?mind|cancel|stop|forget it|leave it|nothing|skip|don'?t)(?: thanks| thank you| that)?[.! ]*$/i

type Answered = { kind: 'resumed'; request: string } | { kind: 'declined' } | null

/** Reads a reply to the last question. Null when nothing was asked, or "yes" answers a question that needs more. */
function readAnswer(said: string, reply: string): Answered {
  const text = reply.trim()
  for (const { pattern, request, isOffer } of questions) {
    const match = pattern.exec(said)
    if (!match) continue
    if (NO.test(text)) return { kind: 'declined' }
    if (YES.test(text) !== isOffer) return null
    const filled = request.replace(/[*@]/g, (mark) => (mark === '*' ? (match[1] ?? '') : text))
    return { kind: 'resumed', request: filled }
  }
  return null
}

/** Decides what to do next in a turn, from the request and from the results of its tool calls so far. */
export async function replyTo(turn: Turn, scene: Scene): Promise<Reply> {
  const answered = readAnswer(turn.said, turn.request)
  if (answered?.kind === 'declined') return { text: "All right, I'll leave it.", calls: [] }
  const best = answered && bestMatch(turn.request, scene)
  /** An answer completes the question asked last, unless it is clearly a new request. */
  const isNew = best && best.match.score >= 0.8 && !best.intent.alone
  const run = new Run(turn.outcomes)
  await run.all(route(answered && !isNew ? answered.request : turn.request, scene), scene)
  return run.reply()
}

class Run {
  private readonly outcomes: Outcome[]
  private readonly said: string[] = []
  private readonly calls: PlannedCall[] = []
  /** The text of the latest clause: a later "it" means nothing from before. */
  private material: Material | undefined

  constructor(outcomes: readonly Outcome[]) {
    this.outcomes = [...outcomes]
  }

  /** Clauses run in parallel, but one that says "it", or uses the same tool, waits for those before it. */
  async all(clauses: readonly Clause[], scene: Scene): Promise<void> {
    for (const [index, clause] of clauses.entries()) {
      if (this.calls.length > 0 && mayReferBack(clause.text)) return
      const material = index === 0 ? scene.material : this.material
      this.material = undefined
      const { text, best } = clause
      if (best) await this.one(scriptOf(best, { ...scene, material }), index)
      else this.said.push(needsEnglish(text, scene.language) ?? puzzled(text, clauses.length > 1, scene))
    }
  }

  private async one(script: Script, index: number): Promise<void> {
    let step = await script.next()
    for (let number = 0; !step.done; number++) {
      const outcome = this.perform(step.value, `c${index}s${number}`)
      if (outcome === 'pending') return
      if (outcome.failed && !('handled' in step.value)) {
        this.said.push(composeFailure(outcome))
        return
      }
      step = await script.next(outcome)
    }
    this.material = step.value
  }

  /** One call of a tool at a time: what the first does may change what the second finds. */
  private perform(step: Step, key: string): Outcome | 'pending' {
    if ('say' in step) {
      this.said.push(step.say)
      return NOTHING
    }
    const outcome = this.take(step.call, step.input, key)
    if (outcome) return outcome
    if (!this.calls.some((call) => call.name === step.call))
      this.calls.push({ key, name: step.call, input: step.input })
    return 'pending'
  }

  /** By the call's own key; results of another model's calls by their input, or else by the tool alone. */
  private take(name: string, input: Record<string, unknown>, key: string): Outcome | undefined {
    const named = this.outcomes.filter((outcome) => outcome.name === name)
    const foreign = named.filter(({ id }) => !/_c\d+s\d+$/.test(id))
    const inputText = JSON.stringify(input)
    const outcome =
      named.find(({ id }) => id.endsWith(`_${key}`)) ??
      foreign.find((outcome) => JSON.stringify(outcome.input) === inputText) ??
      foreign[0]
    if (outcome) this.outcomes.splice(this.outcomes.indexOf(outcome), 1)
    return outcome
  }

  reply(): Reply {
    if (this.calls.length > 0) return { text: '', calls: this.calls }
    const others = this.outcomes.map(compose)
    return { text: [...new Set([...this.said, ...others])].filter(Boolean).join('\n\n'), calls: [] }
  }
}

/** The script of an intent. If none of its tools is available, it only says so; a rule may only ask a question. */
function scriptOf({ intent, match }: Candidate, scene: Scene): Script {
  if (!isUsable(intent, scene)) return speak(lacks(intent.tools[0] ?? ''))
  return match.slots.ask ? speak(match.slots.ask) : intent.run(match.slots, scene)
}

function puzzled(text: string, partly: boolean, scene: Scene): string {
  const part = partly ? `"${text.replace(/(?<![\s.!?])[\s.!?]+$/, '')}"` : 'that'
  /** Three examples of different kinds that work now. */
  const usable = scene.intents.filter((intent) => intent.title && isUsable(intent, scene)).slice(0, 3)
  const examples = joinList(
    usable.map((intent) => `"${intent.examples[0]}"`),
    'or',
  )
  return `I did not understand ${part}, or cannot do it. I follow plain English requests such as ${examples}. ${phrases.more}`
}
