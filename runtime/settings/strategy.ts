import { z } from 'zod'
import type { Host } from '../host.ts'
import { readSection, type Section, subsetOf } from './section.ts'

export const StrategyName = z.enum(['performance', 'balanced', 'economy', 'thorough'])
export type StrategyName = z.output<typeof StrategyName>

const profileOf = (title: string) =>
  z
    .object({
      parallelism: z
        .number()
        .int()
        .min(1)
        .max(16)
        .meta({ title: 'Tasks at once', description: 'Of one project' }),
      model: z
        .enum(['agent', 'cheapest', 'strongest'])
        .meta({ title: 'Model', description: 'The agent’s own, or by the price of what is set up' }),
      review: z
        .enum(['none', 'quick', 'full'])
        .meta({ title: 'Review', description: 'How closely results are checked' }),
    })
    .meta({ title })

export const StrategySettings = z.object({
  default: StrategyName.meta({ title: 'Default strategy', description: 'Of projects that choose none' }),
  profiles: z
    .object({
      performance: profileOf('Performance'),
      balanced: profileOf('Balanced'),
      economy: profileOf('Economy'),
      thorough: profileOf('Thorough'),
    })
    .meta({ title: 'What each strategy means' }),
})
export type StrategySettings = z.output<typeof StrategySettings>
export type StrategyProfile = StrategySettings['profiles'][StrategyName]

export const StrategyChange = subsetOf(StrategySettings)

/** How larger work is done: how much at once, with which models, how closely checked. */
export const strategySettings: Section<typeof StrategySettings> = {
  name: 'strategy',
  schema: StrategySettings,
  defaults: () => ({
    default: 'balanced',
    profiles: {
      performance: { parallelism: 8, model: 'strongest', review: 'quick' },
      balanced: { parallelism: 4, model: 'agent', review: 'quick' },
      economy: { parallelism: 2, model: 'cheapest', review: 'none' },
      thorough: { parallelism: 2, model: 'strongest', review: 'full' },
    },
  }),
}

/** What a strategy means now; the default one when none is named. */
export async function strategyProfile(host: Host, name?: StrategyName | null): Promise<StrategyProfile> {
  const settings = await readSection(host, strategySettings)
  return settings.profiles[name ?? settings.default]
}
