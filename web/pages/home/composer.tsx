import { ActionIcon, Textarea } from '@mantine/core'
import { IconArrowUp } from '@tabler/icons-react'
import { type KeyboardEvent, useState } from 'react'
import { useLocation } from 'wouter'

/** Starts a chat with what is typed here. */
export function Composer() {
  const [text, setText] = useState('')
  const [, navigate] = useLocation()
  const send = () => {
    if (text.trim()) navigate(`/chat?message=${encodeURIComponent(text.trim())}`)
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <Textarea
      aria-label="Message"
      placeholder="Ask, remember, schedule, fetch…"
      size="md"
      autosize
      minRows={1}
      maxRows={8}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={pressed}
      rightSectionWidth={48}
      rightSection={
        <ActionIcon radius="xl" size="md" aria-label="Start a chat" disabled={!text.trim()} onClick={send}>
          <IconArrowUp size={18} />
        </ActionIcon>
      }
    />
  )
}
