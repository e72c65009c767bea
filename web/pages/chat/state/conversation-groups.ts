import type { Conversation } from '../../../../runtime/chat/schema.ts'

export interface ConversationGroup {
  label: string
  conversations: Conversation[]
}

const day = 86_400_000

/** Pinned first, then by the day of the last message in `zone`, newest first. */
export function conversationGroups(
  conversations: readonly Conversation[],
  { now, zone, language }: { now: number; zone?: string; language?: string | undefined },
): ConversationGroup[] {
  const dayOf = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  const monthOf = new Intl.DateTimeFormat(language, { timeZone: zone, year: 'numeric', month: 'long' })
  const today = Date.parse(dayOf.format(now))
  const label = (at: number) => {
    const age = (today - Date.parse(dayOf.format(at))) / day
    if (age <= 0) return 'Today'
    if (age === 1) return 'Yesterday'
    if (age < 7) return 'Last 7 days'
    return age < 30 ? 'Last 30 days' : monthOf.format(at)
  }

  const groups = new Map<string, Conversation[]>()
  for (const conversation of [...conversations].sort(newestFirst)) {
    const name = conversation.pinned ? 'Pinned' : label(lastActive(conversation))
    groups.set(name, [...(groups.get(name) ?? []), conversation])
  }
  return [...groups].map(([name, members]) => ({ label: name, conversations: members }))
}

const lastActive = (conversation: Conversation) => Date.parse(conversation.last_message_at ?? conversation.created_at)

const newestFirst = (a: Conversation, b: Conversation) =>
  Number(b.pinned) - Number(a.pinned) || lastActive(b) - lastActive(a)
