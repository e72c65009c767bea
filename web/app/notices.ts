import { useLocation } from 'wouter'
import type { Api } from '../api/client.ts'
import { useInterfaceSettings } from '../api/settings.ts'
import { announceResult } from '../parts/announce.ts'
import { notify } from '../parts/notify.tsx'
import { useApi, useBusEvents } from './services.tsx'

/**
 * Notifies about approvals and finished answers in conversations that are not on screen, if the settings
 * allow it.
 */
export function useNotices(): void {
  const api = useApi()
  const [location, navigate] = useLocation()
  const wanted = useInterfaceSettings().data?.notifications
  const inView = (path: string) => document.visibilityState === 'visible' && location === path

  useBusEvents('approval.requested', ({ type, data }) => {
    if (wanted?.approvals === false || type === 'resync' || inView('/approvals')) return
    if (inView(`/chat/${data.conversation_id}`)) return
    notify({
      title: 'Approval needed',
      body: data.summary,
      tag: data.approval_id,
      open: () => navigate('/approvals'),
    })
  })
  useBusEvents('agent.run.', async ({ type, data }) => {
    if (type !== 'agent.run.finished' && type !== 'agent.run.failed') return
    const ending = endings[type]
    const id = data.conversation_id
    if (wanted?.[ending.setting] === false || inView(`/chat/${id}`)) return
    const title = await titleOf(api, id, type === 'agent.run.finished')
    if (title) notify({ title, body: ending.body, tag: id, open: () => navigate(`/chat/${id}`) })
  })
  // The result of a job, such as a reminder.
  useBusEvents('message.injected', async ({ type, data }) => {
    if (type === 'resync' || data.job_id === undefined) return
    const id = data.conversation_id
    if (wanted?.answers === false || inView(`/chat/${id}`)) return
    const title = await titleOf(api, id, false)
    if (!title) return
    const open = () => navigate(`/chat/${id}`)
    notify({ title, body: 'A job has delivered its result.', tag: data.message_id, open })
    announceResult(data.message_id, title, open)
  })
}

const endings = {
  'agent.run.finished': { setting: 'answers', body: 'The answer is ready.' },
  'agent.run.failed': { setting: 'failures', body: 'The answer ended with an error.' },
} as const

/**
 * Null for conversations that the daemon started for internal work, and for finished runs of jobs: their result is
 * delivered.
 */
async function titleOf(api: Api, id: string, finished: boolean): Promise<string | null> {
  const conversation = await api.get('/api/chat/conversations/{id}', { params: { id } }).catch(() => null)
  if (!conversation || conversation.kind === 'internal') return null
  if (finished && conversation.kind === 'scheduled') return null
  return conversation.title || 'Chat'
}
