import { z } from 'zod'
import { findDefaultAgent } from '../agents/store.ts'
import { offlineProvider } from '../models/models.ts'
import { ProviderId } from '../providers/schema.ts'
import { type Section, subsetOf } from './section.ts'

/** `provider/model`; the model may hold slashes itself. */
const ModelRef = z
  .string()
  .max(264)
  .refine(namesModel, 'must be provider/model with a provider of this hearthd')

function namesModel(name: string): boolean {
  const slash = name.indexOf('/')
  if (name === offlineProvider) return true
  return slash > 0 && slash < name.length - 1 && ProviderId.safeParse(name.slice(0, slash)).success
}

const StoredAgentSettings = z.object({
  default_model: ModelRef.nullable().meta({
    title: 'Default model',
    description: 'For agents that choose none, as provider/model. Empty: the provider that was set up first',
  }),
  max_steps: z.number().int().min(1).max(500).meta({
    title: 'Steps of an answer',
    description: 'At most, for agents made from now on. Each agent has its own number',
  }),
  compaction_pct: z.number().int().min(20).max(95).meta({
    title: 'Fold long conversations at',
    description: 'Older messages become a summary when so much of the model’s context is full',
    unit: '%',
  }),
  titles: z.boolean().meta({
    title: 'Find titles',
    description: 'One short model call after the first answer of a chat; else its first words are the title',
  }),
  timeout_seconds: z.number().int().min(30).max(86_400).meta({
    title: 'Time of an answer',
    description: 'At most; waiting for a person does not count',
    unit: 'seconds',
  }),
})

export const AgentSettings = z.object({
  default_agent_id: z
    .string()
    .max(64)
    .meta({ title: 'Default agent', description: 'Answers when none is named', format: 'agent' }),
  ...StoredAgentSettings.shape,
})
export type AgentSettings = z.output<typeof AgentSettings>

export const AgentSettingsChange = subsetOf(AgentSettings)

/** How answers are made. The default agent is kept with the agents themselves, so that there is one truth. */
export const agentSettings: Section<typeof StoredAgentSettings> = {
  name: 'agent',
  schema: StoredAgentSettings,
  defaults: () => ({
    default_model: null,
    max_steps: 50,
    compaction_pct: 80,
    timeout_seconds: 3_600,
    titles: true,
  }),
  shown: {
    schema: AgentSettings,
    of: async (value, host) => ({ default_agent_id: (await findDefaultAgent(host))?.id ?? '', ...value }),
  },
}
