import type { Schedule } from '../schema.ts'

export interface WordsContext {
  /** Milliseconds since the epoch. */
  now: number
  /** IANA zone of the person: counts where the words name none. */
  zone: string
  /** `de`, `fr`, `es` or `en`, where it is known; else the words themselves tell. */
  locale?: string
}

export interface Understood {
  ok: true
  schedule: Schedule
  /** 0 to 1. Each thing that had to be assumed takes some of it. */
  confidence: number
  /** What the words could mean as well. */
  alternatives: Schedule[]
  /** What was assumed, and what the schedule does that one may not expect. */
  warnings: string[]
}

export interface NotUnderstood {
  ok: false
  /** For the person, a sentence without its full stop. */
  reason: string
  /** Schedules that say a part of it. */
  alternatives: Schedule[]
}

export type Reading = Understood | NotUnderstood

/** Why words are refused; thrown by the rules, and never beyond `parseWords`. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly alternatives: Schedule[]

  constructor(reason: string, alternatives: Schedule[] = []) {
    super(reason)
    this.alternatives = alternatives
  }
}

const sure = 0.95
const perAssumption = 0.15
const leastSure = 0.5

/** What was assumed on the way to a schedule. */
export class Notes {
  readonly warnings: string[] = []
  readonly alternatives: Schedule[] = []
  #assumed = 0

  /** Something the words leave open. */
  assume(warning: string): void {
    this.#assumed += 1
    this.warn(warning)
  }

  /** Something that is certain, but may surprise. */
  warn(warning: string): void {
    if (!this.warnings.includes(warning)) this.warnings.push(warning)
  }

  offer(...schedules: Schedule[]): void {
    this.alternatives.push(...schedules)
  }

  get confidence(): number {
    return Math.max(leastSure, Math.round((sure - this.#assumed * perAssumption) * 100) / 100)
  }
}
