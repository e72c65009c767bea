import { Code, Loader, Stack, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { Part } from '../../runtime/chat/schema.ts'
import { useOptional } from '../api/query.ts'
import { useBusEvents } from '../app/services.tsx'
import { Loaded } from './list.tsx'
import { locale } from './locale.ts'
import { useZone } from './time.tsx'
import { Hint } from './typography.tsx'

/** A conversation with its latest messages, which follow each tool call. */
export function useConversation(id: string) {
  const query = useOptional('/api/chat/conversations/{id}', { params: { id } })
  useBusEvents('tool.', (event) => {
    if (event.type !== 'resync' && event.data.conversation_id === id) void query.refetch()
  })
  return query
}

/** The steps of an agent's work, from its conversation. Scrolls along while it is active. */
export function ConversationLog({ conversation, running }: { conversation: string; running: boolean }) {
  const query = useConversation(conversation)
  const end = useRef<HTMLDivElement>(null)
  const length = query.data?.messages.reduce((sum, { parts }) => sum + parts.length, 0)
  useEffect(() => {
    if (running && length) end.current?.scrollIntoView({ block: 'nearest' })
  }, [running, length])
  return (
    <section aria-label="Log">
      <Text fw={600} size="sm" mb={6}>
        Log {running && <Loader size={12} ml={6} role="img" aria-label="Running" />}
      </Text>
      <Loaded query={query} what="The log">
        {(data) => (
          <Stack gap={6} role="log" aria-live="polite">
            {data?.messages.flatMap((message) =>
              linesOf(message.role, message.content, message.parts).map((line, index) => (
                <LogLine key={`${message.id}:${String(index)}`} line={line} at={message.created_at} />
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
  source: string
  text: string
  code?: boolean
}

function LogLine({ line: { source, text, code }, at }: { line: Line; at: string }) {
  const timeZone = useZone()
  const time = new Intl.DateTimeFormat(locale(), { timeStyle: 'medium', timeZone }).format(new Date(at))
  return (
    <div>
      <Hint>
        {time} {source}
      </Hint>
      {code ? (
        <Code block fz="xs" mah={180} style={{ overflow: 'auto', whiteSpace: 'pre-wrap' }} tabIndex={0}>
          {text}
        </Code>
      ) : (
        <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
          {text}
        </Text>
      )}
    </div>
  )
}

/** Characters of a tool's output that are shown; the conversation has all of it. */
const maxOutput = 1_000

function linesOf(role: string, content: string, parts: readonly Part[]): Line[] {
  // Instructions that the daemon wrote; the conversation shows them.
  if (role === 'system') return []
  if (role === 'user') return [{ source: 'task', text: content }]
  const lines = parts.flatMap((part): Line[] => {
    if (part.type === 'text') return part.text.trim() ? [{ source: 'agent', text: part.text }] : []
    if (part.type === 'tool_use') return [{ source: 'tool call', text: part.summary || part.tool }]
    if (part.type !== 'tool_result') return []
    const output = typeof part.output === 'string' ? part.output : JSON.stringify(part.output, null, 2)
    const source = part.is_error ? `${part.tool} failed` : part.tool
    return [{ source, text: output.slice(0, maxOutput), code: true }]
  })
  return lines.length > 0 || !content ? lines : [{ source: 'agent', text: content }]
}
