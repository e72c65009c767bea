import { VisuallyHidden } from '@mantine/core'
import { useView } from '../sessions.tsx'
import type { ChatSession } from '../state/session.ts'
import { textOf } from '../state/thread.ts'
import type { SessionView } from '../state/view.ts'

/** Tells a screen reader that an answer begins, what it asks for, and the whole answer once: not every token. */
export function Announcer({ session }: { session: ChatSession }) {
  const words = useView(session, wordsOf)
  return (
    <VisuallyHidden role="status" aria-live="polite" aria-atomic="true">
      {words}
    </VisuallyHidden>
  )
}

function wordsOf({ thread, loaded }: SessionView): string {
  if (!loaded) return ''
  const asked = Object.values(thread.approvals).find((approval) => approval.status === 'pending')
  if (asked) return `Approval needed: ${asked.summary}`
  const last = thread.messages.at(-1)?.message
  if (last?.role !== 'assistant') return ''
  if (last.status === 'streaming') return 'Answering'
  return last.error ? `${textOf(last)} The answer ended early.` : textOf(last)
}
