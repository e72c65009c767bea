import type { Agent } from '../../runtime/tools/agent.ts'
import type { Schema } from './schema/schema.ts'

/** The execution modes, from the least to the most freedom. */
export const executionModes: Record<Agent['execution_mode'], { label: string; hint: string }> = {
  read_only: { label: 'Read only', hint: 'Tools that change something are not offered.' },
  approval_required: {
    label: 'Asks before acting',
    hint: 'Every tool with side effects needs your approval.',
  },
  auto: { label: 'Asks when risky', hint: 'Only risky tools need your approval.' },
  autonomous: {
    label: 'Acts on its own',
    hint: 'Nothing needs your approval. Use it where mistakes cost little.',
  },
}

const by = (part: 'label' | 'hint') =>
  Object.fromEntries(Object.entries(executionModes).map(([mode, texts]) => [mode, texts[part]]))

/** The same for the field of a form. */
export const executionModeField: Schema = { labels: by('label'), hints: by('hint') }
