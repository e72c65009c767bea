import type { Schedule } from '../../schedules/schedule.ts'
import { clockText } from '../../zones/offsets.ts'
import { phrase } from './grammar.ts'

/** The moment and the time zone that words refer to. */
export interface Reference {
  /** Milliseconds since the epoch. */
  now: number
  /** The time zone of the person, used if the words name none. */
  zone: string
}

export interface Scene extends Reference {
  notes: Notes
}

export interface Understood {
  ok: true
  schedule: Schedule
  /** 0 to 1; each assumption lowers it. */
  confidence: number
  /** Other possible meanings of the words. */
  alternatives: Schedule[]
  /** Assumptions, and surprising effects of the schedule. */
  warnings: string[]
}

export interface NotUnderstood {
  ok: false
  /** For people: a sentence without a full stop. */
  reason: string
  /** Schedules for a part of the words. */
  alternatives: Schedule[]
  /** Some of the words are unknown: they may be of another language. */
  unknown: boolean
}

/** Why words are refused; thrown by the rules and caught by `parseWords`. */
export class Refusal extends Error {
  readonly alternatives: Schedule[]

  constructor(reason: string, alternatives: Schedule[] = []) {
    super(reason)
    this.alternatives = alternatives
  }
}

export class UnknownWords extends Refusal {}

export const secondsPerDay = 86_400
/** Seconds after midnight; used if no time is given. */
export const defaultTime = 9 * 3_600
/** What was assumed while parsing. */
export class Notes {
  readonly warnings: string[] = []
  readonly alternatives: Schedule[] = []
  #assumed = 0

  /** Records something that the words leave open. Returns the value that is assumed. */
  assume<T = undefined>(warning: string, value?: T): T {
    this.#assumed += 1
    this.warn(warning)
    return value as T
  }

  assumeTime(): number {
    return this.assume(`No time is given: ${clockText(defaultTime)} is assumed`, defaultTime)
  }

  /** Records something certain that may surprise. */
  warn(warning: string): void {
    if (!this.warnings.includes(warning)) this.warnings.push(warning)
  }

  get confidence(): number {
    return Math.max(0.5, Math.round((0.95 - this.#assumed * 0.15) * 100) / 100)
  }
}

/** Words from which each rule removes what it has parsed; at the end nothing may be left. */
export class Draft {
  text: string

  constructor(text: string) {
    this.text = text
  }

  /** Removes the first match. */
  take(pattern: RegExp): RegExpExecArray | null {
    const match = pattern.exec(this.text)
    if (match) this.text = this.text.replace(pattern, ' ').replace(/\s+/g, ' ').trim()
    return match
  }

  /** Removes every match, first to last. */
  takeAll(pattern: RegExp): RegExpExecArray[] {
    const all: RegExpExecArray[] = []
    for (let match = this.take(pattern); match; match = this.take(pattern)) all.push(match)
    return all
  }

  /** What no rule has parsed, without filler words. */
  get rest(): string {
    return this.text
      .replace(phrase('filler', 'g'), ' ')
      .replace(/[\s,;:.()&/+-]+/g, ' ')
      .trim()
  }
}
