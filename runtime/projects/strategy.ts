import type { Context } from '../context.ts'
import { offlineProvider } from '../models/models.ts'
import { chooseModel, type ModelAccess } from '../providers/index.ts'
import { readSection } from '../sections/section.ts'
import { strategySettings } from '../settings/index.ts'
import type { Agent } from '../tools/agent.ts'
import type { Project, Strategy } from './schema.ts'

export interface StrategyRules {
  /** Maximum tasks of the project that run at once. */
  width: number
  /** Whether a second model call checks each result against the acceptance criteria of its task. */
  reviews_tasks: boolean
  /** Whether the finished project is audited. */
  audits_result: boolean
  /** Which model its tasks, reviews and audits use. */
  model: 'agent' | 'cheapest' | 'strongest'
  advice: string
  /** Tokens that one task is expected to take. */
  tokens_per_task: number
}

const planning: Record<Strategy, Pick<StrategyRules, 'advice' | 'tokens_per_task'>> = {
  performance: {
    advice: 'Prefer tasks that can run in parallel; depend only on what is needed.',
    tokens_per_task: 12_000,
  },
  balanced: { advice: 'Balance the number of tasks, their order and their cost.', tokens_per_task: 16_000 },
  economy: { advice: 'Use as few tasks as possible; every task costs money.', tokens_per_task: 8_000 },
  thorough: {
    advice: 'Give every task acceptance criteria that can be checked, and plan a check of the whole.',
    tokens_per_task: 30_000,
  },
}

/** The rules of a strategy, as the settings have them now. */
export async function rulesOf(context: Context, strategy: Strategy): Promise<StrategyRules> {
  const { profiles } = await readSection(context, strategySettings)
  const { parallelism, review, model } = profiles[strategy]
  return {
    ...planning[strategy],
    width: parallelism,
    model,
    reviews_tasks: review !== 'none',
    audits_result: review === 'full',
  }
}

/**
 * The model of a project's calls: that of the agent, or the cheapest or most expensive of it and its fallbacks. Models whose
 * price is unknown are not compared.
 */
export async function modelFor(context: Context, agent: Agent, project: Project): Promise<ModelAccess> {
  const own = await chooseModel(context, null, agent.model)
  const { model } = await rulesOf(context, project.strategy)
  if (model === 'agent' || own.provider === offlineProvider) return own
  const fallbacks = agent.model.fallbacks.map((one) =>
    chooseModel(context, `${one.provider}/${one.model}`, agent.model),
  )
  const [first, ...others] = [own, ...(await Promise.all(fallbacks))].filter(
    ({ priced, missing }) => priced && !missing,
  )
  const sign = model === 'cheapest' ? 1 : -1
  const price = ({ cost }: ModelAccess) => sign * cost({ input: 4_000, output: 1_000 })
  return others.reduce((best, one) => (price(one) < price(best) ? one : best), first ?? own)
}

/** The strategy of projects that name none. */
export const defaultStrategy = async (context: Context): Promise<Strategy> =>
  (await readSection(context, strategySettings)).default
