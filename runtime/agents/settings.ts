import { z } from 'zod'
import { offlineProvider } from '../models/models.ts'
import { ProviderId } from '../models/vendors/index.ts'
import { reference } from '../references.ts'
import { defineSection } from '../sections/section.ts'
import { findDefaultAgent } from './store.ts'

/** `provider/model`; the model may contain slashes itself. */
const ModelRef = reference('model', 264).refine(
  isModelRef,
  'must be provider/model, with one of the supported providers',
)

function isModelRef(name: string): boolean {
  const slash = name.indexOf('/')
  if (name === offlineProvider) return true
  return slash > 0 && slash < name.length - 1 && ProviderId.safeParse(name.slice(0, slash)).success
}

const StoredAgentSettings = z.object({
  default_model: ModelRef.nullable().meta({
    title: 'Default model',
    description:
      'For agents without a model of their own, as provider/model. Leave blank for the provider that was set up first',
  }),
  max_steps: z.int().min(1).max(500).meta({
    title: 'Maximum steps per answer',
    description: 'Default for new agents; each agent has its own limit',
  }),
  compaction_pct: z.int().min(20).max(95).meta({
    title: 'Compact long conversations at',
    description: 'Older messages are replaced by a summary when this much of the model’s context is used',
    unit: '%',
  }),
  titles: z.boolean().meta({
    title: 'Generate titles',
    description: 'With one short model call after the first answer. Off: the first words become the title',
  }),
  first_token_seconds: z.int().min(5).max(3_600).meta({
    title: 'Wait for the first token',
    description: 'Servers on this machine or network get at least 300 s, because they may have to load the model',
    unit: 'seconds',
  }),
  timeout_seconds: z.int().min(30).max(86_400).meta({
    title: 'Answer timeout',
    description: 'Time spent waiting for your approval does not count',
    unit: 'seconds',
  }),
})

export const AgentSettings = z.object({
  default_agent_id: reference('agent', 64).meta({
    title: 'Default agent',
    description: 'Answers if no other agent is chosen',
    format: 'agent',
  }),
  ...StoredAgentSettings.shape,
})
export type AgentSettings = z.output<typeof AgentSettings>

/**
 * How answers are generated. The default agent is stored with the agents, so that there is one source of
 * truth.
 */
export const agentSettings = defineSection({
  name: 'agent',
  title: 'how answers are made',
  schema: StoredAgentSettings,
  sent: AgentSettings,
  defaults: () => ({
    default_model: null,
    max_steps: 50,
    compaction_pct: 80,
    first_token_seconds: 60,
    timeout_seconds: 3_600,
    titles: true,
  }),
  shown: {
    schema: AgentSettings,
    of: async (value, host) => ({ default_agent_id: (await findDefaultAgent(host))?.id ?? '', ...value }),
  },
})
