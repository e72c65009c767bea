import { z } from 'zod'

const Time = z.string().meta({ format: 'date-time' })

export const ComponentId = z.enum(['api', 'db', 'workers', 'memory', 'ai'])
export type ComponentId = z.output<typeof ComponentId>

/** `degraded` works with limits, `down` does not. */
export const ComponentStatus = z.enum(['healthy', 'degraded', 'down'])
export type ComponentStatus = z.output<typeof ComponentStatus>

export const Component = z.object({
  id: ComponentId,
  name: z.string(),
  status: ComponentStatus,
  latency: z.number().meta({ description: 'Milliseconds that the check took' }),
  message: z.string().optional(),
  last_check: Time,
})
export type Component = z.output<typeof Component>

export const HealthReport = z.object({
  overall: ComponentStatus,
  uptime: z.number().meta({ description: 'Seconds' }),
  version: z.string(),
  components: z.array(Component),
  last_check: Time,
})
export type HealthReport = z.output<typeof HealthReport>

export const Vitals = z.object({
  status: z.enum(['healthy', 'starting', 'stopping']),
  version: z.string().optional(),
  uptime_seconds: z.number().int().optional(),
})
export type Vitals = z.output<typeof Vitals>
