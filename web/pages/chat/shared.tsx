import { Paper, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../app/services.tsx'
import { FrontPage } from '../../parts/front-page.tsx'
import { Loaded } from '../../parts/list.tsx'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { Hint } from '../../parts/typography.tsx'
import { DeadLink } from '../login/dead-link.tsx'

/** Where the link to a conversation leads. Its token is in the fragment, which no server and no log receives. */
export function Shared() {
  const api = useApi()
  const [token] = useState(() => location.hash.slice(1))
  const query = useQuery({
    queryKey: ['shared', token],
    queryFn: () => api.post('/api/chat/shared', { body: { token } }),
    retry: false,
  })
  if (query.error) return <DeadLink error={query.error} />
  return (
    <Loaded query={query} what="The conversation">
      {({ title, owner, messages }) => (
        <FrontPage wide title={title} description={`Shared by ${owner || 'a user'} · read-only`}>
          <ol className="plain" aria-label="Messages">
            {messages.map(({ id, role, text }) => (
              <li key={id}>
                <Paper className={role === 'user' ? 'card' : ''} bg="transparent" p="md" mb="xs">
                  <Hint>{role === 'user' ? 'Person' : 'Agent'}</Hint>
                  {role === 'user' ? <Text className="verbatim">{text}</Text> : <Markdown text={text} />}
                </Paper>
              </li>
            ))}
          </ol>
        </FrontPage>
      )}
    </Loaded>
  )
}
