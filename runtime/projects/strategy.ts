import type { Context } from '../context.ts'
import { readSection } from '../settings/section.ts'
import { strategySettings } from '../settings/strategy.ts'
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

const planning: Record<Strategy, Pick<StrategyRules, 'advice' | 'tokens_per_task'>> = {
  performance: {
    advice: 'Prefer tasks that can run in parallel; depend only on what is needed.',
    tokens_per_task: 12_000,
  },
  balanced: {
    advice: 'Balance the number of tasks, their order and their cost.',
    tokens_per_task: 16_000,
  },
  economy: {
    advice: 'Use as few tasks as possible; every task costs money.',
    tokens_per_task: 8_000,
  },
  thorough: {
    advice: 'Give every task acceptance criteria that can be checked, and plan a check of the whole.',
    tokens_per_task: 30_000,
  },
}

/** The rules of a strategy, as the settings have them now. */
export async function rulesOf(context: Context, strategy: Strategy): Promise<StrategyRules> {
  const { profiles } = await readSection(context, strategySettings)
  const { parallelism, review } = profiles[strategy]
  return {
    ...planning[strategy],
    width: parallelism,
    reviews_tasks: review !== 'none',
    audits_result: review === 'full',
  }
}

/** The strategy of projects that name none. */
export const defaultStrategy = async (context: Context): Promise<Strategy> =>
  (await readSection(context, strategySettings)).default
