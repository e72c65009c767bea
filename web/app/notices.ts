import { useLocation } from 'wouter'
import type { EventsOf } from '../api/bus.ts'
import type { Api } from '../api/client.ts'
import { useInterfaceSettings } from '../api/settings.ts'
import { announceResult } from '../parts/announce.ts'
import { notify } from '../parts/notify.tsx'
import { useApi, useBusEvents } from './services.tsx'

/**
 * Notifies about approvals, alerts and finished answers in conversations that are not on screen, if the settings
 * allow it.
 */
export function useNotices(): void {
  const api = useApi()
  const [location, navigate] = useLocation()
  const wanted = useInterfaceSettings().data?.notifications
  const inView = (path: string) => document.visibilityState === 'visible' && location === path

  useBusEvents('approval.requested', ({ type, data }) => {
    if (wanted?.approvals === false || type === 'resync' || inView('/inbox')) return
    if (inView(`/chat/${data.conversation_id}`)) return
    void notify({
      title: 'Approval needed',
      body: data.summary,
      tag: data.approval_id,
      href: '/inbox',
    })
  })
  useBusEvents('agent.run.', async ({ type, data }) => {
    if (type !== 'agent.run.finished' && type !== 'agent.run.failed') return
    const ending = endings[type]
    const id = data.conversation_id
    if (wanted?.[ending.setting] === false || inView(`/chat/${id}`)) return
    const title = await titleOf(api, id, type === 'agent.run.finished')
    if (title) void notify({ title, body: ending.body, tag: id, href: `/chat/${id}` })
  })
  useBusEvents('loop.', (event) => {
    if (event.type !== 'loop.blocked' && event.type !== 'loop.finished') return
    const { setting, body } = loopNotice(event)
    const path = `/loops/${event.data.loop_id}`
    if (setting === null || wanted?.[setting] === false || inView(path)) return
    void notify({ title: event.data.name, body, tag: event.data.loop_id, href: path })
  })
  useBusEvents('backup.failed', (event) => {
    if (event.type !== 'backup.failed' || wanted?.failures === false || inView('/settings/backup')) return
    const title = event.data.action === 'create' ? 'A backup failed' : `The ${event.data.action} of a backup failed`
    void notify({ title, body: event.data.error, tag: 'backup', href: '/settings/backup' })
  })
  useBusEvents('permission.digest', ({ type, data }) => {
    if (type === 'resync' || wanted?.answers === false) return
    void notify({ title: data.title, body: data.text, tag: 'permissions', href: '/settings/permissions' })
  })
  useBusEvents('alert.', ({ type, data }) => {
    if (type !== 'alert.fired' || wanted?.failures === false || inView('/monitor/alerts')) return
    void notify({
      title: `Alert: ${data.name}`,
      body: `${data.summary}${data.value_text === null ? '' : `; now ${data.value_text}`}`,
      tag: data.alert_id,
      href: '/monitor/alerts',
    })
  })
  // The result of a job, such as a reminder.
  useBusEvents('message.injected', async ({ type, data }) => {
    if (type === 'resync' || data.job_id === undefined) return
    const id = data.conversation_id
    if (wanted?.answers === false || inView(`/chat/${id}`)) return
    const title = await titleOf(api, id, false)
    if (!title) return
    const href = `/chat/${id}`
    void notify({ title, body: 'A job has delivered its result.', tag: data.message_id, href })
    announceResult(data.message_id, title, () => navigate(href))
  })
}

const endings = {
  'agent.run.finished': { setting: 'answers', body: 'The answer is ready.' },
  'agent.run.failed': { setting: 'failures', body: 'The answer ended with an error.' },
} as const

/** A loop that needs a person or has ended; nothing if a person stopped it. */
function loopNotice(event: Extract<EventsOf<'loop.'>, { type: 'loop.blocked' | 'loop.finished' }>) {
  if (event.type === 'loop.blocked') return { setting: 'approvals', body: event.data.question.question } as const
  const { status, error } = event.data
  if (status === 'completed') return { setting: 'answers', body: 'The goal was reached.' } as const
  if (status === 'failed') return { setting: 'failures', body: error ?? 'The loop failed.' } as const
  return { setting: null, body: '' } as const
}

/**
 * Null for conversations that the daemon started for internal work, for iterations of loops, and for finished runs of
 * jobs: their result is delivered.
 */
async function titleOf(api: Api, id: string, finished: boolean): Promise<string | null> {
  const conversation = await api.get('/api/chat/conversations/{id}', { params: { id } }).catch(() => null)
  if (!conversation || conversation.kind === 'internal' || conversation.kind === 'loop') return null
  if (finished && conversation.kind === 'scheduled') return null
  return conversation.title || 'Chat'
}
