import { ActionIcon, Button, Group, Stack, Textarea } from '@mantine/core'
import { IconArrowUp } from '@tabler/icons-react'
import { type KeyboardEvent, useState } from 'react'
import { useLocation } from 'wouter'
import type { AnswerOf, InputOf } from '../../api/client.ts'
import { useApi } from '../../app/services.tsx'
import { Muted } from '../../parts/typography.tsx'

type Dispatched = AnswerOf<'POST', '/api/dispatcher/inject'>
type Intent = Dispatched['decision']['intent']

/** What a person is offered if it is unclear what they meant. */
const offers: Record<Intent, string> = {
  chat: 'Just chat',
  question: 'Just answer',
  task: 'Do it once',
  project: 'Plan a project',
  loop: 'Repeat until done',
  schedule: 'Remind me',
  workflow: 'Set up an automation',
  memory: 'Remember it',
  device: 'Use my device',
  browser: 'Use the browser',
  settings: 'Open settings',
}

/** Two or three intents: the likeliest, the next one, and an answer. */
function choicesOf({ decision: { intent, alternatives } }: Dispatched): Intent[] {
  const next = alternatives.map((other) => other.intent).filter((other) => other !== 'chat')
  return [...new Set<Intent>([intent, next[0] ?? 'task', 'question'])].slice(0, 3)
}

/** Sends the typed sentence to where it belongs: most start a chat; if it is unclear, the person is asked. */
export function Composer() {
  const [text, setText] = useState('')
  const { dispatched, sending, send, forget } = useDispatch(text.trim())
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void send()
  }
  return (
    <Stack gap="xs">
      <Textarea
        aria-label="Message"
        placeholder="Ask, remember, schedule, fetch…"
        size="md"
        autosize
        minRows={1}
        maxRows={8}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          forget()
        }}
        onKeyDown={pressed}
        rightSectionWidth={48}
        rightSection={
          <ActionIcon
            radius="xl"
            size="md"
            aria-label="Start a chat"
            disabled={!text.trim()}
            loading={sending}
            onClick={() => send()}
          >
            <IconArrowUp size={18} />
          </ActionIcon>
        }
      />
      {dispatched && <Choices dispatched={dispatched} disabled={sending} choose={(intent) => void send(intent)} />}
    </Stack>
  )
}

interface ChoicesProps {
  dispatched: Dispatched
  disabled: boolean
  choose(intent: Intent): void
}

const Choices = ({ dispatched, disabled, choose }: ChoicesProps) => (
  <Group gap="xs" role="group" aria-label="What to do">
    <Muted role="status">{dispatched.message}</Muted>
    {choicesOf(dispatched).map((intent, index) => (
      <Button
        key={intent}
        size="xs"
        variant={index === 0 ? 'filled' : 'default'}
        disabled={disabled}
        onClick={() => choose(intent)}
      >
        {offers[intent]}
      </Button>
    ))}
  </Group>
)

type Request = InputOf<'POST', '/api/dispatcher/inject'>['body']

/** Sends a sentence, and keeps the question that came back. */
function useDispatch(text: string) {
  const api = useApi()
  const [, navigate] = useLocation()
  const [dispatched, setDispatched] = useState<Dispatched | null>(null)
  const [sending, setSending] = useState(false)

  const send = async (chosen?: Intent) => {
    if (!text || sending) return
    if (chosen === 'settings' && dispatched?.page) return navigate(dispatched.page)
    setSending(true)
    try {
      const result = await api.post('/api/dispatcher/inject', { body: requestOf(text, dispatched, chosen) })
      const open = result.conversation_id !== null || chosen !== undefined
      if (open && result.page) return navigate(result.page)
      setDispatched(result)
    } catch {
      // The chat sends it itself, and says what is wrong if that fails too.
      navigate(`/chat?message=${encodeURIComponent(text)}`)
    } finally {
      setSending(false)
    }
  }
  return { dispatched, sending, send, forget: () => setDispatched(null) }
}

function requestOf(text: string, previous: Dispatched | null, intent?: Intent): Request {
  const decision = previous?.decision
  return {
    text,
    source: 'chat',
    ...(intent && { intent }),
    ...(intent && decision?.status === 'clarifying' && { decision_id: decision.id }),
  }
}
