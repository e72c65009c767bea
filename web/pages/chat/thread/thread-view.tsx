import { Button, Loader, Skeleton, Stack } from '@mantine/core'
import { IconArrowDown } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { announceError } from '../../../parts/announce.ts'
import { AgentContext, useConversationAgent } from '../agents.ts'
import { useRows, useView } from '../sessions.tsx'
import type { ChatSession } from '../state/session.ts'
import { isBusy } from '../state/thread.ts'
import { Announcer } from './announcer.tsx'
import { Thinking } from './assistant-message.tsx'
import { Ending } from './ending.tsx'
import { MessageRow } from './message-row.tsx'
import classes from './thread.module.css'
import { useStickToEnd } from './use-stick-to-end.ts'

/** The messages of a conversation, from the latest page upward. */
export function ThreadView({ session }: { session: ChatSession }) {
  const scroller = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const rows = useRows(session)
  const loaded = useView(session, (view) => view.loaded || view.thread.messages.length > 0)
  const failure = useView(session, ({ thread }) => thread.failure)
  const busy = useView(session, ({ thread }) => isBusy(thread))
  const agent = useConversationAgent(session)
  const sending = rows.at(-1)?.pending === 'sending'
  const { away, toEnd } = useStickToEnd(scroller, content, rows[0]?.key)

  // What the person has just sent is always brought into view.
  const sent = rows.findLast((row) => row.pending)?.key
  useEffect(() => {
    if (sent) toEnd()
  }, [sent, toEnd])

  return (
    <div className={classes.frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the messages are scrolled with the keyboard */}
      <section ref={scroller} className={classes.scroller} tabIndex={0} aria-label="Messages">
        <div ref={content} className={classes.content}>
          <Older session={session} scroller={scroller} />
          {!loaded && <ThreadSkeleton />}
          <AgentContext value={agent}>
            <ol className={classes.list} data-busy={busy || undefined}>
              {rows.map((item, index) => (
                <MessageRow key={item.key} session={session} item={item} last={index === rows.length - 1} />
              ))}
            </ol>
          </AgentContext>
          {sending && <Thinking />}
          {failure && <Ending error={failure} retry={() => void session.regenerate().catch(announceError)} />}
        </div>
      </section>
      {away && (
        <Button
          className={classes.latest}
          size="xs"
          radius="xl"
          variant="default"
          leftSection={<IconArrowDown size={14} />}
          onClick={toEnd}
        >
          Jump to latest
        </Button>
      )}
      <Announcer session={session} />
    </div>
  )
}

/** Reads the page before the first message well before the person has scrolled there. */
function Older({
  session,
  scroller,
}: {
  session: ChatSession
  scroller: React.RefObject<HTMLElement | null>
}) {
  const mark = useRef<HTMLDivElement>(null)
  const more = useView(session, ({ thread }) => thread.has_older)
  const first = useView(session, ({ thread }) => thread.messages[0]?.key)
  useEffect(() => {
    if (!more || !mark.current || first === undefined) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) session.loadOlder().catch(announceError)
      },
      { root: scroller.current, rootMargin: '1200px 0px 0px 0px' },
    )
    observer.observe(mark.current)
    return () => observer.disconnect()
  }, [session, scroller, more, first])
  return (
    <div ref={mark} className={classes.older}>
      {more && <Loader size="xs" aria-label="Loading earlier messages" />}
    </div>
  )
}

function ThreadSkeleton() {
  return (
    <Stack gap="xl" py="md" aria-busy="true" aria-label="Loading the conversation">
      {[1, 2].map((pair) => (
        <Stack key={pair} gap="md">
          <Skeleton height={40} width="45%" radius="lg" ml="auto" />
          <Skeleton height={12} width="90%" />
          <Skeleton height={12} width="80%" />
          <Skeleton height={12} width="60%" />
        </Stack>
      ))}
    </Stack>
  )
}
