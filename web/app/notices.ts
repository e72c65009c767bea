import { useLocation } from 'wouter'
import type { Api } from '../api/client.ts'
import { useInterfaceSettings } from '../api/settings.ts'
import { notify } from '../parts/notify.tsx'
import { useApi, useBusEvents } from './services.tsx'

/** Notifies of approvals and finished answers in conversations that are not on screen, if the settings allow it. */
export function useNotices(): void {
  const api = useApi()
  const [location, navigate] = useLocation()
  const wanted = useInterfaceSettings().data?.notifications
  const inView = (path: string) => document.visibilityState === 'visible' && location === path

  useBusEvents('approval.requested', ({ type, data }) => {
    const chat = `/chat/${String(data.conversation_id)}`
    if (wanted?.approvals === false || type !== 'approval.requested' || inView('/approvals') || inView(chat))
      return
    notify({
      title: 'Approval needed',
      body: String(data.summary),
      tag: String(data.approval_id),
      open: () => navigate('/approvals'),
    })
  })
  useBusEvents('agent.run.', async ({ type, data }) => {
    const ending = endings[type]
    const id = String(data.conversation_id)
    if (!ending || wanted?.[ending.setting] === false || inView(`/chat/${id}`)) return
    const title = await titleOf(api, id)
    if (title) notify({ title, body: ending.body, tag: id, open: () => navigate(`/chat/${id}`) })
  })
}

const endings: Record<string, { setting: 'answers' | 'failures'; body: string }> = {
  'agent.run.finished': { setting: 'answers', body: 'The answer is ready.' },
  'agent.run.failed': { setting: 'failures', body: 'The answer ended with an error.' },
}

/** Null for conversations that the daemon started for internal work. */
async function titleOf(api: Api, id: string): Promise<string | null> {
  const conversation = await api.get('/api/chat/conversations/{id}', { params: { id } }).catch(() => null)
  if (!conversation || conversation.kind === 'internal') return null
  return conversation.title || 'Chat'
}
