import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import type { BusEvent } from '../api/bus.ts'
import type { Conversation } from '../api/chat.ts'
import type { Api } from '../api/client.ts'
import { interfaceQuery } from '../api/settings.ts'
import { notify } from '../parts/notify.ts'
import { useApi, useBusEvents } from './services.tsx'

/** Tells of approvals and of finished answers whose conversation is not in view, when the person wants that. */
export function useNotices(): void {
  const api = useApi()
  const [location, navigate] = useLocation()
  const wanted = useQuery(interfaceQuery(api)).data?.notifications
  const inView = (path: string) => document.visibilityState === 'visible' && location === path

  useBusEvents('approval.requested', ({ type, data }: BusEvent) => {
    const chat = `/chat/${String(data.conversation_id)}`
    if (wanted?.approvals === false || type !== 'approval.requested' || inView('/approvals') || inView(chat))
      return
    notify({
      title: 'May it do this?',
      body: String(data.summary),
      tag: String(data.approval_id),
      open: () => navigate('/approvals'),
    })
  })
  useBusEvents('agent.run.', ({ type, data }: BusEvent) => {
    const id = String(data.conversation_id)
    if (
      !(type in endings) ||
      wanted?.[type.endsWith('failed') ? 'failures' : 'answers'] === false ||
      inView(`/chat/${id}`)
    )
      return
    void titleOf(api, id).then((title) => {
      if (title === null) return
      const body = endings[type] ?? ''
      notify({ title, body, tag: id, open: () => navigate(`/chat/${id}`) })
    })
  })
}

const endings: Record<string, string> = {
  'agent.run.finished': 'The answer is there.',
  'agent.run.failed': 'It ended with an error.',
}

/** Null for what the daemon does for itself. */
async function titleOf(api: Api, id: string): Promise<string | null> {
  const path = `/api/chat/conversations/${id}`
  const conversation = await api.get<Conversation>(path).catch(() => null)
  if (!conversation || conversation.kind === 'internal') return null
  return conversation.title || 'Chat'
}
