import { ActionIcon, FileButton, Group, Textarea, Tooltip } from '@mantine/core'
import { IconArrowUp, IconChevronUp, IconPaperclip, IconPlayerStopFilled } from '@tabler/icons-react'
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type Ref,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import type { FilePart } from '../../../runtime/chat/schema.ts'
import { useSession } from '../../app/services.tsx'
import { ActionMenu } from '../../parts/action-menu.tsx'
import { announceError } from '../../parts/announce.ts'
import { IconButton } from '../../parts/buttons.tsx'
import { UploadChip } from '../../parts/files/chips.tsx'
import { useDrop } from '../../parts/files/drop.ts'
import fileClasses from '../../parts/files/files.module.css'
import { toPart, useUploads } from '../../parts/files/uploads.ts'
import { Hint } from '../../parts/typography.tsx'
import classes from './composer.module.css'
import { Pickers, type Settings } from './pickers.tsx'
import { Drafts, joined } from './state/drafts.ts'
import type { WhenBusy } from './state/session.ts'
import { undoCommand } from './undo-changes.tsx'
import { WaitingMessages } from './waiting-messages.tsx'

export interface ComposerHandle {
  /** Replaces the text and focuses the field. */
  fill(text: string): void
}

interface ComposerProps {
  /** The conversation whose draft is restored; null before it exists. */
  conversation: string | null
  settings: Settings
  change: (changes: Partial<Settings>) => void
  /** An answer is in progress. */
  busy: boolean
  /** Resolves when the daemon has stored the message. */
  send: (text: string, whenBusy: WhenBusy, files: FilePart[]) => Promise<void>
  stop: () => void
  handle?: Ref<ComposerHandle>
}

export function Composer({ conversation, settings, change, busy, send, stop, handle }: ComposerProps) {
  const { text, setText, field, uploads, empty, submit } = useMessage(conversation, send)
  const { over, handlers } = useDrop(uploads.add)
  useImperativeHandle(handle, () => ({
    fill(content) {
      setText(content)
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
      <WaitingMessages conversation={conversation} />
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
      {conversation && text.length > 0 && undoCommand.startsWith(text.trimEnd()) && (
        <Hint role="status">
          <strong>{undoCommand}</strong> undoes what the latest answer changed in files
        </Hint>
      )}
      <Group gap="0.5rem" align="flex-end" justify="space-between" wrap="nowrap">
        <Group gap="0.1rem" miw={0} ml="-0.5rem" align="stretch">
          <FileButton multiple onChange={uploads.add}>
            {(props) => <IconButton label="Attach files" icon={IconPaperclip} {...props} />}
          </FileButton>
          <Pickers settings={settings} change={change} />
        </Group>
        <SendButton busy={busy} empty={empty} send={submit} stop={stop} />
      </Group>
    </form>
  )
}

const drafts = new Drafts(localStorage)

/** The message being written. Its text and files survive a reload, also while they are being sent. */
function useMessage(conversation: string | null, send: ComposerProps['send']) {
  const user = useSession()?.user_id
  const [place] = useState({ user, conversation })
  const [kept] = useState(() => drafts.take(place))
  const [text, setText] = useState(kept.text)
  const uploads = useUploads('chat', kept.files)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    // On a touch screen the focus would open the keyboard.
    if (matchMedia('(hover: hover)').matches) field.current?.focus({ preventScroll: true })
  }, [])
  const arrived = JSON.stringify(uploads.arrived)
  useEffect(() => drafts.keep(place, { text, files: JSON.parse(arrived) }), [place, text, arrived])

  const empty = uploads.busy || (text.trim() === '' && uploads.arrived.length === 0)
  const submit = (whenBusy: WhenBusy) => {
    if (empty) return
    const files = uploads.arrived.map(toPart)
    const message = text.trim() || `Attached: ${files.map(({ name }) => name).join(', ')}`
    const { items } = uploads
    setText('')
    uploads.clear()
    drafts
      .send(place, { text, files: uploads.arrived }, () => send(message, whenBusy, files))
      .catch((error: unknown) => {
        announceError(error)
        // If the person has left the conversation, the message appears when they return.
        if (!field.current) return
        const unsent = joined(drafts.takeUnsent(place))
        setText((now) => [unsent.text, now].filter(Boolean).join('\n'))
        uploads.restore(items)
      })
  }
  return { text, setText, field, uploads, empty, submit }
}

/** Pasted images. Copied text may come with an image of itself, which is ignored. */
function pastedFiles({ clipboardData }: ClipboardEvent): File[] {
  return clipboardData.types.includes('text/plain') ? [] : [...clipboardData.files]
}

/** Enter, but not while an input method composes a character. */
const sendsOn = (event: KeyboardEvent) =>
  event.key === 'Enter' && !event.shiftKey && !event.altKey && !event.nativeEvent.isComposing

const whenBusyLabels: Record<WhenBusy, { label: string; hint: string }> = {
  queue: { label: 'Queue', hint: 'Answered after the current answer' },
  steer: { label: 'Steer', hint: 'The agent reads it before its next step' },
  interrupt: { label: 'Interrupt', hint: 'Stops the current answer' },
}

interface SendButtonProps {
  busy: boolean
  empty: boolean
  send: (whenBusy: WhenBusy) => void
  stop: () => void
}

/** The send button. During an answer it also offers to stop it, and the options for a new message. */
function SendButton({ busy, empty, send, stop }: SendButtonProps) {
  const label = busy ? 'Queue this message' : 'Send'
  return (
    <Group flex="none" gap="0.35rem" wrap="nowrap">
      {busy && !empty && (
        <ActionMenu
          position="top-end"
          width={260}
          actions={(Object.keys(whenBusyLabels) as WhenBusy[]).map((way) => ({
            ...whenBusyLabels[way],
            onClick: () => send(way),
          }))}
        >
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label="More ways to send">
            <IconChevronUp size={18} />
          </ActionIcon>
        </ActionMenu>
      )}
      {busy && (
        <IconButton
          label="Stop the answer"
          icon={IconPlayerStopFilled}
          variant="default"
          size="lg"
          radius="xl"
          onClick={stop}
        />
      )}
      {(!busy || !empty) && (
        <Tooltip label={label}>
          <ActionIcon size="lg" radius="xl" type="submit" data-offline disabled={empty} aria-label={label}>
            <IconArrowUp size={18} />
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  )
}
