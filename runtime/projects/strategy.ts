import type { Strategy } from './schema.ts'

/** What a strategy decides. */
export interface StrategyRules {
  /** Maximum tasks of the project that run at once. */
  width: number
  /** Whether a second model call checks each result against the acceptance criteria of its task. */
  reviews_tasks: boolean
  /** Whether the finished project is audited. */
  audits_result: boolean
  /** For the prompt of the planner. */
  advice: string
  /** Tokens that one task is expected to take. */
  tokens_per_task: number
}

export const strategies: Record<Strategy, StrategyRules> = {
  performance: {
    width: 8,
    reviews_tasks: false,
    audits_result: false,
    advice: 'Prefer tasks that can run in parallel; depend only on what is needed.',
    tokens_per_task: 12_000,
  },
  balanced: {
    width: 4,
    reviews_tasks: true,
    audits_result: false,
    advice: 'Balance the number of tasks, their order and their cost.',
    tokens_per_task: 16_000,
  },
  economy: {
    width: 1,
    reviews_tasks: false,
    audits_result: false,
    advice: 'Use as few tasks as possible; every task costs money.',
    tokens_per_task: 8_000,
  },
  thorough: {
    width: 2,
    reviews_tasks: true,
    audits_result: true,
    advice: 'Give every task acceptance criteria that can be checked, and plan a check of the whole.',
    tokens_per_task: 30_000,
  },
}
