import { compose, composeFailure } from './compose.ts'
import type { Turn } from './conversation.ts'
import { bestMatch, type Found } from './match.ts'
import { lacks, needsEnglish } from './notice.ts'
import phrases from './phrases.json' with { type: 'json' }
import { readAnswer } from './questions.ts'
import { isUsable, type Routed, route } from './route.ts'
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

/** Decides what to do next in a turn, from the request and from the results of its tool calls so far. */
export async function replyTo(turn: Turn, scene: Scene): Promise<Reply> {
  const answered = readAnswer(turn.said, turn.request)
  if (answered?.kind === 'declined') return { text: "All right, I'll leave it.", calls: [] }
  const found = answered && bestMatch(turn.request, scene)
  /** An answer completes the question asked last, unless it is clearly a new request. */
  const isNew = found && found.match.score >= 0.8 && !found.intent.alone
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
  async all(clauses: readonly Routed[], scene: Scene): Promise<void> {
    for (const [index, clause] of clauses.entries()) {
      if (this.calls.length > 0 && mayReferBack(clause.text)) return
      const material = index === 0 ? scene.material : this.material
      this.material = undefined
      const { text, found } = clause
      if (found) await this.one(scriptOf(found, { ...scene, material }), index)
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
    const wanted = JSON.stringify(input)
    const found =
      named.find(({ id }) => id.endsWith(`_${key}`)) ??
      foreign.find((outcome) => JSON.stringify(outcome.input) === wanted) ??
      foreign[0]
    if (found) this.outcomes.splice(this.outcomes.indexOf(found), 1)
    return found
  }

  reply(): Reply {
    if (this.calls.length > 0) return { text: '', calls: this.calls }
    const others = this.outcomes.map(compose)
    return { text: [...new Set([...this.said, ...others])].filter(Boolean).join('\n\n'), calls: [] }
  }
}

/** The script of an intent. If none of its tools is available, it only says so; a rule may only ask a question. */
function scriptOf({ intent, match }: Found, scene: Scene): Script {
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
