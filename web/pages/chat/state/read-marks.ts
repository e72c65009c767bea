import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

const maxMarks = 500

interface Marks {
  /** The newest message when this browser began to keep marks: what is not newer counts as read. */
  since: string
  /** By conversation: the time of the last message that was on screen. */
  at: Record<string, string>
}

interface Readable {
  id: string
  last_message_at: string | null
}

const isUnread = ({ since, at }: Marks, { id, last_message_at }: Readable): boolean =>
  last_message_at !== null && last_message_at > (at[id] ?? since)

function marked({ since, at }: Marks, { id, last_message_at }: Readable): Marks {
  const kept = Object.entries(at)
    .filter(([other]) => other !== id)
    .slice(1 - maxMarks)
  return { since, at: { ...Object.fromEntries(kept), [id]: last_message_at ?? since } }
}

/** The times are the daemon's: a browser's clock may differ. */
const newestOf = (conversations: readonly Readable[]) =>
  conversations
    .map(({ last_message_at }) => last_message_at ?? '')
    .sort()
    .at(-1) ?? ''

const key = 'hearthd.read'
const marksQuery = queryOptions({
  queryKey: [key],
  queryFn: () => JSON.parse(localStorage.getItem(key) ?? 'null') as Marks | null,
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
})

/** Tells which conversations have messages that were not on screen in this browser; the open one is read. */
export function useUnread(conversations: readonly Readable[] | undefined, open: string | undefined) {
  const queries = useQueryClient()
  const { data: marks, isFetched } = useQuery(marksQuery)
  useEffect(() => {
    if (!conversations || !isFetched) return
    const keep = (next: Marks) => {
      localStorage.setItem(key, JSON.stringify(next))
      queries.setQueryData(marksQuery.queryKey, next)
    }
    const shown = conversations.find(({ id }) => id === open)
    if (!marks) keep({ since: newestOf(conversations), at: {} })
    else if (shown && isUnread(marks, shown)) keep(marked(marks, shown))
  }, [conversations, open, marks, isFetched, queries])
  return (conversation: Readable) => marks != null && conversation.id !== open && isUnread(marks, conversation)
}
