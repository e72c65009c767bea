import { z } from 'zod'

/** A tool as one chooses it for an agent. */
export const AgentTool = z.object({
  name: z.string(),
  summary: z.string().meta({ description: 'The first sentence of what it says of itself' }),
  source: z.enum(['built-in', 'skill', 'server']),
})
export type AgentTool = z.output<typeof AgentTool>
