import type { Agent } from '../../api/agents.ts'

export const modeLabels: Record<Agent['execution_mode'], string> = {
  read_only: 'Reads only',
  approval_required: 'Asks before acting',
  auto: 'Asks when risky',
  autonomous: 'Acts on its own',
}

/** What each execution mode lets through, in the order of freedom. */
export const modeHints: Record<Agent['execution_mode'], string> = {
  read_only: 'Tools that change something are not offered at all.',
  approval_required: 'Every tool with side effects waits for your yes.',
  auto: 'Only risky tools wait for your yes.',
  autonomous: 'Nothing waits. Use it where a mistake is cheap.',
}

export const sandboxLabels: Record<Agent['sandbox']['mode'], string> = {
  off: 'Off',
  unattended: 'When unattended',
  all: 'Always',
}
