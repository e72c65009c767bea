import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useApi } from '../../../app/services.tsx'
import { Marked } from '../../../parts/marked.tsx'
import classes from './list.module.css'

interface Found {
  conversation_id: string
  conversation_title: string
  message_id: string
  /** HTML in which only `<mark>` is markup. */
  excerpt: string
}

/** Messages that hold the words, below the conversations whose title does. */
export function FoundMessages({ words, close }: { words: string; close: () => void }) {
  const api = useApi()
  const { data } = useQuery({
    queryKey: ['conversations', 'search', words],
    queryFn: ({ signal }) =>
      api.get<{ results: Found[]; total: number }>('/api/chat/search', { q: words, limit: 20 }, signal),
  })
  const found = data?.results ?? []
  if (found.length === 0) return null
  return (
    <section>
      <h2 className={classes.group}>In messages</h2>
      <ul className={classes.rows}>
        {found.map((one) => (
          <li key={one.message_id} className={classes.row}>
            <Link
              href={`/chat/${one.conversation_id}?at=${one.message_id}`}
              className={classes.found}
              onClick={close}
            >
              <Text size="sm" truncate>
                {one.conversation_title}
              </Text>
              <Text size="xs" c="dimmed" lineClamp={2}>
                <Marked html={one.excerpt} />
              </Text>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
