import { Code, Loader, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Part } from '../../../../runtime/chat/schema.ts'
import { conversationQuery } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { locale } from '../../../parts/locale.ts'
import { useZone } from '../../../parts/time.tsx'

interface RunLogProps {
  conversation: string
  /** Whether there is more to come: the bus says when. */
  running: boolean
}

/** What was done, step by step, as the conversation tells it. */
export function RunLog({ conversation, running }: RunLogProps) {
  const query = useQuery(conversationQuery(useApi(), conversation))
  const zone = useZone()
  const end = useRef<HTMLDivElement>(null)
  const length = query.data?.messages.reduce((sum, { parts }) => sum + parts.length, 0)
  useEffect(() => {
    if (running && length) end.current?.scrollIntoView({ block: 'nearest' })
  }, [running, length])
  return (
    <section aria-label="Log">
      <Text fw={600} size="sm" mb={6}>
        Log {running && <Loader size={12} ml={6} aria-label="Goes on" />}
      </Text>
      <Loaded query={query} what="The log">
        {(data) => (
          <Stack gap={6} role="log" aria-live="polite">
            {data?.messages.flatMap((message) =>
              linesOf(message.role, message.content, message.parts).map((line, index) => (
                <div key={`${message.id}:${String(index)}`}>
                  <Text size="xs" c="dimmed">
                    {clock(message.created_at, zone)} {line.who}
                  </Text>
                  {line.code ? (
                    <Code
                      block
                      fz="xs"
                      mah={180}
                      style={{ overflow: 'auto', whiteSpace: 'pre-wrap' }}
                      tabIndex={0}
                    >
                      {line.text}
                    </Code>
                  ) : (
                    <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
                      {line.text}
                    </Text>
                  )}
                </div>
              )),
            )}
            <div ref={end} />
          </Stack>
        )}
      </Loaded>
    </section>
  )
}

interface Line {
  who: string
  text: string
  code?: boolean
}

/** Characters of what a tool gave back; the conversation has all of it. */
const shown = 1_000

function linesOf(role: string, content: string, parts: readonly Part[]): Line[] {
  if (role === 'user') return [{ who: 'goal', text: content }]
  const lines = parts.flatMap((part): Line[] => {
    if (part.type === 'text') return part.text.trim() ? [{ who: 'agent', text: part.text }] : []
    if (part.type === 'tool_use') return [{ who: 'calls', text: part.summary || part.tool }]
    if (part.type !== 'tool_result') return []
    const output = typeof part.output === 'string' ? part.output : JSON.stringify(part.output, null, 2)
    return [
      { who: part.is_error ? `${part.tool} failed` : part.tool, text: output.slice(0, shown), code: true },
    ]
  })
  return lines.length > 0 || !content ? lines : [{ who: 'agent', text: content }]
}

const clock = (at: string, timeZone: string) =>
  new Intl.DateTimeFormat(locale(), { timeStyle: 'medium', timeZone }).format(new Date(at))
