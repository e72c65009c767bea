import { Box, Center, Loader, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core'
import { IconArrowDown } from '@tabler/icons-react'
import { memo, type RefObject, useCallback, useEffect, useRef } from 'react'
import { announceError } from '../../parts/announce.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { OutOfSight } from '../../parts/markdown/markdown.tsx'
import { AssistantMessage, Thinking, TurnError } from './assistant-message.tsx'
import { AgentContext, useConversationAgent, useRows, useView } from './sessions.tsx'
import type { ChatSession } from './state/session.ts'
import { isBusy, type SessionView, type ThreadMessage, textOf } from './state/thread.ts'
import classes from './thread.module.css'
import { useStickToEnd } from './use-stick-to-end.ts'
import { UserMessage } from './user-message.tsx'

interface ThreadViewProps {
  session: ChatSession
  /** The id of a message to show instead of the latest. */
  target: string | null
}

/** Messages at the end that are visible when a conversation opens. */
const visibleFirst = 8

/** The latest messages, or those around `target`; scrolling loads further pages. */
export function ThreadView({ session, target }: ThreadViewProps) {
  const scroller = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const rows = useRows(session)
  const loaded = useView(session, (view) => view.loaded || view.thread.messages.length > 0)
  const failure = useView(session, ({ thread }) => thread.failure)
  const detached = useView(session, ({ thread }) => thread.has_newer)
  const stick = useStickToEnd(scroller, content, { first: rows[0]?.key, detached })
  useScrollTo(session, rows, { target, ...stick })
  const toLatest = () => session.toLatest().then(stick.toEnd, announceError)
  return (
    <Box pos="relative" flex={1} mih={0}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: messages are scrolled with the keyboard */}
      <section ref={scroller} className={classes.scroller} tabIndex={0} aria-label="Messages">
        <Box
          ref={content}
          maw="48rem"
          mih="100%"
          mx="auto"
          px={{ base: '0.9rem', sm: '1.25rem' }}
          pt={{ base: '0.25rem', sm: '0.5rem' }}
          pb={{ base: '1rem', sm: '1.5rem' }}
        >
          <Edge session={session} scroller={scroller} side="older" />
          {!loaded && <ThreadSkeleton />}
          <Rows session={session} rows={rows} target={target} detached={detached} />
          {detached && <Edge session={session} scroller={scroller} side="newer" />}
          {rows.at(-1)?.pending === 'sending' && <Thinking />}
          {failure && <TurnError session={session} error={failure} />}
        </Box>
      </section>
      {(stick.away || detached) && <LatestButton jump={toLatest} />}
      <Announcer session={session} />
    </Box>
  )
}

interface RowsProps extends ThreadViewProps {
  rows: readonly ThreadMessage[]
  detached: boolean
}

function Rows({ session, rows, target, detached }: RowsProps) {
  const busy = useView(session, ({ thread }) => isBusy(thread))
  const agent = useConversationAgent(session)
  return (
    <AgentContext value={agent}>
      <ol className={`plain ${classes.list}`} data-busy={busy || undefined}>
        {rows.map((item, index) => (
          <MessageRow
            key={item.key}
            session={session}
            item={item}
            last={index === rows.length - 1 && !detached}
            highlighted={item.message.id === target}
            hidden={index < rows.length - visibleFirst}
          />
        ))}
      </ol>
    </AgentContext>
  )
}

const LatestButton = ({ jump }: { jump: () => void }) => (
  <SmallButton
    pos="absolute"
    bottom="0.75rem"
    left="50%"
    style={{ transform: 'translateX(-50%)', boxShadow: 'var(--mantine-shadow-md)' }}
    radius="xl"
    icon={IconArrowDown}
    onClick={jump}
  >
    Jump to latest
  </SmallButton>
)

interface ScrollTargets {
  target: string | null
  toEnd: () => void
  toMessage: (id: string) => void
}

/** Scrolls to the message of the address, and to each message that is sent. */
function useScrollTo(
  session: ChatSession,
  rows: readonly ThreadMessage[],
  { target, toEnd, toMessage }: ScrollTargets,
) {
  useEffect(() => {
    if (!target) return
    toMessage(target)
    session.openAt(target).catch(announceError)
  }, [session, target, toMessage])
  const sent = rows.findLast((row) => row.pending)?.key
  useEffect(() => {
    if (sent) toEnd()
  }, [sent, toEnd])
}

interface EdgeProps {
  session: ChatSession
  scroller: RefObject<HTMLElement | null>
  side: 'older' | 'newer'
}

/** Loads the next page at one end before the person has scrolled to it. */
function Edge({ session, scroller, side }: EdgeProps) {
  const older = side === 'older'
  const edge = useView(session, ({ thread: { messages, has_older, has_newer } }) =>
    (older ? has_older : has_newer) ? messages.at(older ? 0 : -1)?.key : undefined,
  )
  const load = useCallback(() => (older ? session.loadOlder() : session.loadNewer()), [session, older])
  const mark = useNear(scroller, edge, load)
  return (
    <Center ref={mark} mih="1.5rem">
      {edge && <Loader size="xs" role="img" aria-label={`Loading ${older ? 'earlier' : 'later'} messages`} />}
    </Center>
  )
}

/** Distance from the edge at which the next page loads. */
const near = '1200px'

/**
 * Calls `load` once for each `edge` that comes near the viewport; undefined means that there are no more
 * pages.
 */
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
        <Stack key={pair}>
          <Skeleton height={40} width="45%" radius="lg" ml="auto" />
          <Skeleton height={12} width="90%" />
          <Skeleton height={12} width="80%" />
          <Skeleton height={12} width="60%" />
        </Stack>
      ))}
    </Stack>
  )
}

interface MessageRowProps {
  session: ChatSession
  item: ThreadMessage
  last: boolean
  /** The search result that was opened; it is highlighted for a moment. */
  highlighted: boolean
  /** Outside the viewport on the first render. */
  hidden: boolean
}

/** One message. The browser skips layout and paint while it is far from the viewport. */
const MessageRow = memo(function MessageRow({ session, item, last, highlighted, hidden }: MessageRowProps) {
  const { role } = item.message
  return (
    <li className={classes.row} id={item.message.id} data-role={role} data-found={highlighted || undefined}>
      {role === 'user' && <UserMessage session={session} item={item} />}
      {role === 'assistant' && (
        <OutOfSight value={hidden}>
          <AssistantMessage session={session} item={item} last={last} />
        </OutOfSight>
      )}
      {(role === 'system' || role === 'tool') && (
        <Text fz="sm" c="dimmed" px="md" py="0.25rem" ta="center" className="verbatim">
          {textOf(item.message)}
        </Text>
      )}
    </li>
  )
})

/**
 * Announces to screen readers that an answer starts, needs an approval or is complete, but not every token.
 */
function Announcer({ session }: { session: ChatSession }) {
  const text = useView(session, announcementOf)
  return (
    <VisuallyHidden role="status" aria-live="polite" aria-atomic="true">
      {text}
    </VisuallyHidden>
  )
}

function announcementOf({ thread, loaded }: SessionView): string {
  if (!loaded) return ''
  const approval = Object.values(thread.approvals).find((approval) => approval.status === 'pending')
  if (approval) return `Approval needed: ${approval.summary}`
  const last = thread.messages.at(-1)?.message
  if (last?.role !== 'assistant') return ''
  if (last.status === 'streaming') return 'Answering'
  return last.error ? `${textOf(last)} The answer ended early.` : textOf(last)
}
