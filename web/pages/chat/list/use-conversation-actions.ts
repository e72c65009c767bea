import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import type { Conversation } from '../../../api/chat.ts'
import { useApi } from '../../../app/services.tsx'
import { announce } from '../../../parts/announce.ts'
import { saveFile } from '../../../parts/save-file.ts'
import { useShelf } from '../sessions.tsx'

export type ConversationChange = Partial<Pick<Conversation, 'title' | 'pinned' | 'archived'>>

/** What a person does to a conversation as a whole. */
export function useConversationActions(conversation: Conversation) {
  const api = useApi()
  const shelf = useShelf()
  const queries = useQueryClient()
  const [location, navigate] = useLocation()
  const path = `/api/chat/conversations/${conversation.id}`
  const refresh = () => queries.invalidateQueries({ queryKey: ['conversations'] })
  return {
    update: useMutation({
      mutationFn: (changes: ConversationChange) => api.put<Conversation>(path, changes),
      onSuccess(changed, { archived }) {
        shelf.get(conversation.id).changed(changed)
        if (archived !== undefined) announce(archived ? 'Archived' : 'Back among the conversations')
        return refresh()
      },
    }),
    remove: useMutation({
      mutationFn: () => api.remove(path),
      onSuccess() {
        shelf.forget(conversation.id)
        if (location === `/chat/${conversation.id}`) navigate('/chat', { replace: true })
        announce(`“${conversation.title}” was deleted`)
        return refresh()
      },
    }),
    download: useMutation({
      mutationFn: async (format: 'markdown' | 'json') => {
        const response = await api.raw('GET', `${path}/export`, { query: { format } })
        saveFile(`${conversation.title}.${format === 'json' ? 'json' : 'md'}`, await response.blob())
      },
    }),
  }
}
