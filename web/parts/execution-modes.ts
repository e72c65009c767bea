import type { Agent } from '../../runtime/tools/agent.ts'

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
