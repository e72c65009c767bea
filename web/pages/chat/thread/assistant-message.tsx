import { ActionIcon, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { memo, use, useMemo } from 'react'
import { announceError } from '../../../parts/announce.ts'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { Face } from '../../../parts/face.tsx'
import { Markdown } from '../../../parts/markdown/markdown.tsx'
import { AgentContext } from '../agents.ts'
import { useLiveItem, useView } from '../sessions.tsx'
import { type Block, blocksOf, isThinking } from '../state/blocks.ts'
import type { ChatSession } from '../state/session.ts'
import { isBusy, liveMessageId, type ThreadMessage, textOf } from '../state/thread.ts'
import { Ending } from './ending.tsx'
import { MessageNumbers, ModelLabel } from './message-meta.tsx'
import { Notices } from './notices.tsx'
import { Reasoning } from './reasoning.tsx'
import { Recalled } from './recalled.tsx'
import classes from './thread.module.css'
import { ToolCard } from './tool-card.tsx'

const none = {}

interface AssistantMessageProps {
  session: ChatSession
  item: ThreadMessage
  last: boolean
}

export function AssistantMessage({ session, item, last }: AssistantMessageProps) {
  const { message, notices } = useLiveItem(session, item)
  const asks = message.parts.some((part) => part.type === 'approval')
  const approvals = useView(session, ({ thread }) => (asks ? thread.approvals : none))
  const waits = useView(
    session,
    ({ thread }) => message.status === 'streaming' && liveMessageId(thread) !== message.id,
  )
  const blocks = useMemo(() => blocksOf(message, approvals), [message, approvals])
  const recalled = message.parts.find((part) => part.type === 'recall')
  const agent = use(AgentContext)
  const streaming = message.status === 'streaming'
  return (
    <article className={classes.assistant} aria-label={`Answer of ${agent.name}`} aria-busy={streaming}>
      <div className={classes.from}>
        <Face name={agent.name} url={agent.avatar} size={24} />
        <Text size="sm" fw={600}>
          {agent.name}
        </Text>
        <ModelLabel message={message} />
      </div>
      <Notices notices={notices} />
      {recalled && <Recalled episodes={recalled.episodes} />}
      {blocks.map((block, index) => {
        // A block keeps its place while the answer grows.
        const key = block.type === 'tool' ? block.id : index
        return <BlockView key={key} session={session} block={block} />
      })}
      {waits && <p className={classes.waits}>Waits for the answer above</p>}
      {!waits && isThinking(message) && <Thinking />}
      <MessageEnd session={session} item={{ ...item, message }} last={last} />
    </article>
  )
}

const BlockView = memo(
  function BlockView({ session, block }: { session: ChatSession; block: Block }) {
    if (block.type === 'text') return <Markdown text={block.text} />
    if (block.type === 'reasoning') return <Reasoning text={block.text} open={block.open} />
    if (block.type === 'file') return <Text size="sm">File {block.file_id}</Text>
    return <ToolCard session={session} block={block} />
  },
  (before, after) => before.session === after.session && sameBlock(before.block, after.block),
)

function sameBlock(a: Block, b: Block): boolean {
  if (a.type === 'text' && b.type === 'text') return a.text === b.text
  if (a.type === 'reasoning' && b.type === 'reasoning') return a.text === b.text && a.open === b.open
  if (a.type !== 'tool' || b.type !== 'tool') return false
  return a.use === b.use && a.result === b.result && a.approval === b.approval && a.state === b.state
}

export function Thinking() {
  return (
    <p className={classes.thinking}>
      <VisuallyHidden>Working on the answer</VisuallyHidden>
      <span aria-hidden />
      <span aria-hidden />
      <span aria-hidden />
    </p>
  )
}

/** What can be done with an answer that has ended. Its height is there from the beginning. */
function MessageEnd({ session, item, last }: AssistantMessageProps) {
  const { message } = item
  // Only the last answer looks: all the others would be drawn anew whenever a turn begins or ends.
  const free = useView(session, ({ thread }) => last && !isBusy(thread))
  const again = free ? () => void session.regenerate().catch(announceError) : undefined
  const goOn = free ? () => void session.send('Continue where you stopped.').catch(announceError) : undefined
  const text = textOf(message)
  return (
    <>
      {message.error && <Ending error={message.error} retry={again} goOn={text ? goOn : undefined} />}
      <div className={classes.actions} data-always={last || undefined}>
        {message.status !== 'streaming' && (
          <>
            {text && <CopyButton value={text} what="answer" />}
            {again && !message.error && (
              <Tooltip label="Answer anew">
                <ActionIcon variant="subtle" color="gray" aria-label="Answer anew" onClick={again}>
                  <IconRefresh size={16} />
                </ActionIcon>
              </Tooltip>
            )}
            <MessageNumbers message={message} />
          </>
        )}
      </div>
    </>
  )
}
