import { offlineProvider } from '../../models/models.ts'
import type { ModelMessage } from '../../ports/models.ts'
import { type CallContent, refusedBy } from '../../providers/index.ts'
import { interfaceSettings } from '../../sections/interface.ts'
import { readSection } from '../../sections/section.ts'
import { sentTools } from '../../tools/find-tools.ts'
import { toSpec } from '../../tools/registry.ts'
import { systemPrompt } from './prompt.ts'
import type { Turn } from './state.ts'

/** A call of a turn with these messages. Everything before them is the same in all calls of a conversation. */
export async function contentOf(turn: Turn, messages: ModelMessage[]): Promise<CallContent> {
  const { agent, conversation } = turn
  const withoutTools = refusedBy(turn.context, turn.access).has('tools')
  // Without the tools of earlier answers, vendors have nothing cached.
  const isChat = conversation.mode === 'chat' && messages.every(({ role }) => role !== 'tool')
  const tools = withoutTools || isChat ? [] : sentTools(turn.tools, turn.requested_tools)
  return {
    ...(agent.temperature === null ? {} : { temperature: agent.temperature }),
    ...(agent.max_output_tokens === null ? {} : { max_output_tokens: agent.max_output_tokens }),
    first_token_seconds: turn.settings.first_token_seconds,
    system: systemPrompt({ ...turn, tools: tools.length > 0 ? turn.tools : [] }, withoutTools),
    messages,
    cache_key: conversation.id,
    timezone: turn.timezone,
    ...(await languageFor(turn)),
    tools: tools.map(toSpec),
  }
}

/** Models read every language; the built-in one says in the person's what it needs. */
async function languageFor({ context, access }: Turn): Promise<{ language?: string }> {
  if (access.provider !== offlineProvider) return {}
  const { language } = await readSection(context, interfaceSettings)
  return language === 'system' ? {} : { language }
}
