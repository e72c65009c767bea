import { ActionIcon, FileButton, Textarea, Tooltip } from '@mantine/core'
import { IconPaperclip } from '@tabler/icons-react'
import { type ClipboardEvent, type KeyboardEvent, type Ref, useImperativeHandle } from 'react'
import type { FilePart } from '../../../../runtime/chat/schema.ts'
import type { StoredFile } from '../../../api/files.ts'
import { announceError } from '../../../parts/announce.ts'
import fileClasses from '../../../parts/files/files.module.css'
import { UploadChip } from '../../../parts/files/upload-chip.tsx'
import { useDrop } from '../../../parts/files/use-drop.ts'
import type { WhenBusy } from '../state/session.ts'
import classes from './composer.module.css'
import { Pickers, type Settings } from './pickers.tsx'
import { SendButton } from './send-button.tsx'
import { useDraft } from './use-draft.ts'

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
  send: (text: string, whenBusy: WhenBusy, files: FilePart[]) => Promise<void>
  stop: () => void
  handle?: Ref<ComposerHandle>
}

export function Composer({ conversation, settings, change, busy, send, stop, handle }: ComposerProps) {
  const { text, setText, field, uploads } = useDraft(conversation)
  const { over, handlers } = useDrop(uploads.add)
  const empty = uploads.busy || (text.trim() === '' && uploads.arrived.length === 0)
  const submit = (whenBusy: WhenBusy) => {
    if (empty) return
    const files = uploads.arrived.map(toPart)
    const message = text.trim() || `Attached: ${files.map(({ name }) => name).join(', ')}`
    const { items } = uploads
    setText('')
    uploads.clear()
    send(message, whenBusy, files).catch((error: unknown) => {
      announceError(error)
      // What could not be sent is not lost, nor what was typed in the meantime.
      setText((now) => [text, now].filter(Boolean).join('\n'))
      uploads.restore(items)
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
      data-over={over || undefined}
      {...handlers}
    >
      {uploads.items.length > 0 && (
        <ul className={fileClasses.chips} aria-label="Files to send">
          {uploads.items.map((item) => (
            <UploadChip key={item.key} item={item} remove={() => uploads.remove(item.key)} />
          ))}
        </ul>
      )}
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
        onPaste={(event) => {
          const files = pastedFiles(event)
          if (files.length === 0) return
          event.preventDefault()
          uploads.add(files)
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
          <FileButton multiple onChange={uploads.add}>
            {(props) => (
              <Tooltip label="Attach files">
                <ActionIcon variant="subtle" color="gray" aria-label="Attach files" {...props}>
                  <IconPaperclip size={18} />
                </ActionIcon>
              </Tooltip>
            )}
          </FileButton>
          <Pickers settings={settings} change={change} />
        </div>
        <SendButton busy={busy} empty={empty} send={submit} stop={stop} />
      </div>
    </form>
  )
}

const toPart = ({ id, name, mime_type, size_bytes }: StoredFile): FilePart => ({
  type: 'file',
  file_id: id,
  name,
  mime_type,
  size_bytes,
})

/** A picture from the clipboard. Copied text may bring a picture of itself along, which nobody wants. */
function pastedFiles({ clipboardData }: ClipboardEvent): File[] {
  return clipboardData.types.includes('text/plain') ? [] : [...clipboardData.files]
}

/** Enter, but not while an input method composes a word with it. */
const sendsOn = (event: KeyboardEvent) =>
  event.key === 'Enter' && !event.shiftKey && !event.altKey && !event.nativeEvent.isComposing
