import { z } from 'zod'
import { defineSection } from '../sections/section.ts'

const StrategyName = z.enum(['performance', 'balanced', 'economy', 'thorough'])

const profileOf = (title: string) =>
  z
    .object({
      parallelism: z.int().min(1).max(16).meta({ title: 'Parallel tasks', description: 'Per project' }),
      model: z.enum(['agent', 'cheapest', 'strongest']).meta({
        title: 'Model',
        description: 'That of the agent, or the cheapest or most expensive of it and its fallbacks',
      }),
      review: z
        .enum(['none', 'quick', 'full'])
        .meta({ title: 'Review', description: 'How closely results are checked' }),
    })
    .meta({ title })

export const StrategySettings = z.object({
  default: StrategyName.meta({ title: 'Default strategy', description: 'For projects without their own' }),
  profiles: z
    .object({
      performance: profileOf('Performance'),
      balanced: profileOf('Balanced'),
      economy: profileOf('Economy'),
      thorough: profileOf('Thorough'),
    })
    .meta({ title: 'Strategies' }),
})
type StrategySettings = z.output<typeof StrategySettings>

/** How projects are executed: parallelism, models, review. */
export const strategySettings = defineSection({
  name: 'strategy',
  title: 'the strategies',
  schema: StrategySettings,
  defaults: (): StrategySettings => ({
    default: 'performance',
    profiles: {
      performance: { parallelism: 8, model: 'strongest', review: 'quick' },
      balanced: { parallelism: 4, model: 'agent', review: 'quick' },
      economy: { parallelism: 1, model: 'cheapest', review: 'none' },
      thorough: { parallelism: 2, model: 'strongest', review: 'full' },
    },
  }),
})
