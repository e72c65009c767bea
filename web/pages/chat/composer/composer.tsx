import { Textarea } from '@mantine/core'
import { type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { announceError } from '../../../parts/announce.ts'
import { keepDraft, readDraft } from '../state/drafts.ts'
import type { WhenBusy } from '../state/session.ts'
import classes from './composer.module.css'
import { Pickers, type Settings } from './pickers.tsx'
import { SendButton } from './send-button.tsx'

export interface ComposerHandle {
  /** Puts words into the field, ready to be changed. */
  fill(text: string): void
}

interface ComposerProps {
  /** Where its draft is kept; null before there is a conversation. */
  conversation: string | null
  settings: Settings
  change: (changes: Partial<Settings>) => void
  busy: boolean
  /** Resolves when the daemon has the message. */
  send: (text: string, whenBusy: WhenBusy) => Promise<void>
  stop: () => void
  handle?: Ref<ComposerHandle>
}

export function Composer({ conversation, settings, change, busy, send, stop, handle }: ComposerProps) {
  const { text, setText, field } = useDraft(conversation)
  const submit = (whenBusy: WhenBusy) => {
    const message = text.trim()
    if (message === '') return
    setText('')
    send(message, whenBusy).catch((error: unknown) => {
      announceError(error)
      // What could not be sent is not lost.
      setText(text)
    })
  }
  useImperativeHandle(handle, () => ({
    fill(words) {
      setText(words)
      field.current?.focus()
    },
  }))
  return (
    <form
      className={classes.composer}
      aria-label="Message"
      onSubmit={(event) => {
        event.preventDefault()
        submit('queue')
      }}
    >
      <Textarea
        ref={field}
        aria-label="Message"
        placeholder={busy ? 'Write the next message' : 'Write a message'}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (!sendsOn(event)) return
          event.preventDefault()
          submit('queue')
        }}
        variant="unstyled"
        autosize
        minRows={1}
        maxRows={10}
        classNames={{ input: classes.input }}
        enterKeyHint="send"
      />
      <div className={classes.bar}>
        <div className={classes.pickers}>
          <Pickers settings={settings} change={change} />
        </div>
        <SendButton busy={busy} empty={text.trim() === ''} send={submit} stop={stop} />
      </div>
    </form>
  )
}

/** Enter, but not while an input method composes a word with it. */
const sendsOn = (event: KeyboardEvent) =>
  event.key === 'Enter' && !event.shiftKey && !event.altKey && !event.nativeEvent.isComposing

/** The text in the field; it outlives a reload. Ready to type in where there is a keyboard. */
function useDraft(conversation: string | null) {
  const [text, set] = useState(() => readDraft(localStorage, conversation))
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (matchMedia('(hover: hover)').matches) field.current?.focus({ preventScroll: true })
  }, [])
  const setText = (changed: string) => {
    set(changed)
    keepDraft(localStorage, conversation, changed)
  }
  return { text, setText, field }
}
