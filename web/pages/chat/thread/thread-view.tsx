import { Button, Loader, Skeleton, Stack } from '@mantine/core'
import { IconArrowDown } from '@tabler/icons-react'
import { useCallback, useEffect, useRef } from 'react'
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

interface ThreadViewProps {
  session: ChatSession
  /** Id of a message to show, instead of the latest. */
  target: string | null
}

/** Messages at the end that are on the screen when a conversation is opened. */
const seenFirst = 8

/** The messages of a conversation: the latest page, or those around one, and further pages as they are scrolled to. */
export function ThreadView({ session, target }: ThreadViewProps) {
  const scroller = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const rows = useRows(session)
  const loaded = useView(session, (view) => view.loaded || view.thread.messages.length > 0)
  const failure = useView(session, ({ thread }) => thread.failure)
  const busy = useView(session, ({ thread }) => isBusy(thread))
  const agent = useConversationAgent(session)
  const sending = rows.at(-1)?.pending === 'sending'
  const detached = useView(session, ({ thread }) => thread.has_newer)
  const { away, toEnd, toMessage } = useStickToEnd(scroller, content, { first: rows[0]?.key, detached })

  useEffect(() => {
    if (!target) return
    toMessage(target)
    session.openAt(target).catch(announceError)
  }, [session, target, toMessage])

  const toLatest = () => {
    if (!detached) return toEnd()
    session.toLatest().then(toEnd, announceError)
  }

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
                <MessageRow
                  key={item.key}
                  session={session}
                  item={item}
                  last={index === rows.length - 1 && !detached}
                  found={item.message.id === target}
                  hidden={index < rows.length - seenFirst}
                />
              ))}
            </ol>
          </AgentContext>
          {detached && <Newer session={session} scroller={scroller} />}
          {sending && <Thinking />}
          {failure && <Ending error={failure} retry={() => void session.regenerate().catch(announceError)} />}
        </div>
      </section>
      {(away || detached) && (
        <Button
          className={classes.latest}
          size="xs"
          radius="xl"
          variant="default"
          leftSection={<IconArrowDown size={14} />}
          onClick={toLatest}
        >
          Jump to latest
        </Button>
      )}
      <Announcer session={session} />
    </div>
  )
}

interface EdgeProps {
  session: ChatSession
  scroller: React.RefObject<HTMLElement | null>
}

/** Reads the page before the first message well before the person has scrolled there. */
function Older({ session, scroller }: EdgeProps) {
  const more = useView(session, ({ thread }) => thread.has_older)
  const first = useView(session, ({ thread }) => thread.messages[0]?.key)
  const load = useCallback(() => session.loadOlder(), [session])
  const mark = useNear(scroller, more ? first : undefined, load)
  return (
    <div ref={mark} className={classes.older}>
      {more && <Loader size="xs" role="img" aria-label="Loading earlier messages" />}
    </div>
  )
}

/** The same at the end of old messages. */
function Newer({ session, scroller }: EdgeProps) {
  const last = useView(session, ({ thread }) => thread.messages.at(-1)?.key)
  const load = useCallback(() => session.loadNewer(), [session])
  const mark = useNear(scroller, last, load)
  return (
    <div ref={mark} className={classes.older}>
      <Loader size="xs" role="img" aria-label="Loading later messages" />
    </div>
  )
}

/** Pixels before the edge at which more is read. */
const near = '1200px'

/** Calls `load` when the edge comes near the screen; again for each `edge`, unless there is none. */
function useNear(scroller: EdgeProps['scroller'], edge: string | undefined, load: () => Promise<void>) {
  const mark = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!mark.current || edge === undefined) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) load().catch(announceError)
      },
      { root: scroller.current, rootMargin: `${near} 0px` },
    )
    observer.observe(mark.current)
    return () => observer.disconnect()
  }, [scroller, edge, load])
  return mark
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
