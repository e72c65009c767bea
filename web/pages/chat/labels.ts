import type { Conversation } from '../../api/chat.ts'

export const modes: Record<Conversation['mode'], { label: string; hint: string }> = {
  agent: { label: 'Agent', hint: 'Answers and acts with its tools' },
  plan: { label: 'Plan', hint: 'Only reads, and ends in a plan for a project' },
  chat: { label: 'Chat', hint: 'Only talks; no tools' },
}

export const executionModes: Record<Conversation['execution_mode'], { label: string; hint: string }> = {
  read_only: { label: 'Reads only', hint: 'Changes nothing' },
  approval_required: { label: 'Asks before acting', hint: 'Every tool with side effects waits for your yes' },
  auto: { label: 'Asks when risky', hint: 'Only risky tools wait for your yes' },
  autonomous: { label: 'Acts on its own', hint: 'Nothing waits for you' },
}

/** The built-in model is never mistaken for a real one. */
export const offlineModel = 'offline'

/** `provider/model` as a person reads it. */
export function modelName(provider: string | null, model: string | null): string {
  if (provider === offlineModel || model === offlineModel) return 'Offline model'
  return model || provider || 'Automatic'
}
