import { Alert, Badge, Box, Flex, Group, Loader, Text, Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconAlertTriangle, IconBrain, IconBulb, IconPlayerStop, IconRefresh } from '@tabler/icons-react'
import { memo, type ReactNode, use, useId, useMemo, useState } from 'react'
import type { Message, RecallPart, StreamEvents } from '../../../runtime/chat/schema.ts'
import type { Wait } from '../../../runtime/work/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { announceError } from '../../parts/announce.ts'
import { IconButton, LinkButton, SmallButton } from '../../parts/buttons.tsx'
import { Chevron } from '../../parts/chevron.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Cost } from '../../parts/cost.tsx'
import { Face } from '../../parts/face.tsx'
import { lazily } from '../../parts/lazily.ts'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { whole } from '../../parts/numbers.ts'
import { exact, Time, useZone } from '../../parts/time.tsx'
import { Hint, Muted, TextLink } from '../../parts/typography.tsx'
import { AgentContext, useLiveItem, useView } from './sessions.tsx'
import { type Block, blocksOf, isThinking } from './state/blocks.ts'
import { type ErrorText, errorText, modelName, offlineModel, recalledLabel } from './state/labels.ts'
import type { ChatSession } from './state/session.ts'
import { isBusy, liveMessageId, type Notice, type ThreadMessage, textOf, waitOf } from './state/thread.ts'
import classes from './thread.module.css'
import { UndoButton } from './undo-changes.tsx'

const AskedForm = lazily(() => import('./asked-form.tsx'), 'AskedForm')
const ToolCard = lazily(() => import('./tool-card.tsx'), 'ToolCard')

const none = {}

interface AssistantMessageProps {
  session: ChatSession
  item: ThreadMessage
  last: boolean
}

export function AssistantMessage({ session, item, last }: AssistantMessageProps) {
  const { message, notices, retry } = useLiveItem(session, item)
  const asks = message.parts.some((part) => part.type === 'approval')
  const approvals = useView(session, ({ thread }) => (asks ? thread.approvals : none))
  const streaming = message.status === 'streaming'
  const waits = useView(session, ({ thread }) => streaming && liveMessageId(thread) !== message.id)
  const wait = useView(session, ({ thread }) => (streaming && !waits ? waitOf(thread) : null))
  const blocks = useMemo(() => blocksOf(message, approvals), [message, approvals])
  const recalled = message.parts.find((part) => part.type === 'recall')
  const agent = use(AgentContext)
  return (
    <article aria-label={`Answer from ${agent.name}`} aria-busy={streaming}>
      <Group gap="0.5rem" mb="0.35rem" wrap="nowrap">
        <Face name={agent.name} url={agent.avatar} size={24} />
        <Text size="sm" fw={600}>
          {agent.name}
        </Text>
        <ModelLabel message={message} />
      </Group>
      {notices.map((notice, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: notices are only appended
        <Hint key={index} my={4}>
          {noticeText(notice)}
        </Hint>
      ))}
      {recalled && <Recalled episodes={recalled.episodes} />}
      {blocks.map((block, index) => (
        // A block keeps its index while the answer grows.
        <BlockView key={block.type === 'tool' ? block.id : index} session={session} block={block} />
      ))}
      {(wait || retry) && streaming && (
        <Group gap="xs" my={4} role="status">
          <Muted>{wait ? <WaitText {...wait} /> : retry && retryText(retry)}</Muted>
          <TurnButton label="Cancel" run={() => session.stop()} />
        </Group>
      )}
      {waits && (
        <Text fz="sm" c="dimmed">
          Queued
        </Text>
      )}
      {!waits && !wait && isThinking(message) && <Thinking />}
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
    <Box h="1.6rem">
      <VisuallyHidden>Working on the answer</VisuallyHidden>
      <Loader type="dots" size={30} color="dimmed" aria-hidden />
    </Box>
  )
}

/** The actions on a complete answer. The height is reserved while it streams. */
function MessageEnd({ session, item: { message }, last }: AssistantMessageProps) {
  // Only the last answer subscribes; otherwise all of them would render whenever a turn starts or ends.
  const free = useView(session, ({ thread }) => last && !isBusy(thread))
  const text = textOf(message)
  const asked = free && message.parts.find((part) => part.type === 'tool_use' && part.tool === 'ask_user')
  return (
    <>
      {asked && asked.type === 'tool_use' && <AskedForm session={session} input={asked.input} />}
      {message.error && <TurnError session={free ? session : null} error={message.error} partial={text !== ''} />}
      <div className={classes.actions} data-always={last || undefined}>
        {message.status !== 'streaming' && (
          <>
            {text && <CopyButton value={text} what="answer" />}
            {free && !message.error && (
              <IconButton
                label="Regenerate"
                icon={IconRefresh}
                onClick={() => session.regenerate().catch(announceError)}
              />
            )}
            <MessageNumbers message={message} />
            {message.parts.some(({ type }) => type === 'tool_use') && <UndoButton message={message} />}
          </>
        )}
      </div>
    </>
  )
}

interface TurnErrorProps {
  /** Null for older answers and while the agent is busy: these cannot be tried again. */
  session: ChatSession | null
  error: NonNullable<Message['error']>
  /** There is something that the agent can continue. */
  partial?: boolean
}

/** Why an answer is incomplete, and what to do. */
export function TurnError({ session, error, partial = false }: TurnErrorProps) {
  const { title, hint, link, offline } = errorText(error.code, error.limit)
  if (error.code === 'cancelled' || error.code === 'interrupted')
    return <Cut session={session} partial={partial || !!error.limit} title={title} hint={hint} />
  return (
    <Alert
      role="alert"
      color="red"
      variant="default"
      bg="var(--surface)"
      bd="1px solid var(--mantine-color-error)"
      styles={{ icon: { color: 'var(--mantine-color-error)' } }}
      my="sm"
      title={title}
      icon={<IconAlertTriangle size={18} />}
    >
      <Text size="sm">{hint}</Text>
      {error.message && (
        <Hint mt={4}>
          {error.message} <span className="mono">({error.code})</span>
        </Hint>
      )}
      <Group gap="xs" mt="xs">
        {session && error.limit && <ContinueButton session={session} />}
        {session && <TurnButton label="Try again" run={() => session.regenerate()} />}
        {session && offline && <TurnButton label="Answer offline" run={() => session.answerOffline()} />}
        {link && (
          <LinkButton variant="subtle" href={link.to}>
            {link.label}
          </LinkButton>
        )}
      </Group>
    </Alert>
  )
}

type CutProps = Omit<TurnErrorProps, 'error'> & ErrorText

const Cut = ({ session, partial, title, hint }: CutProps) => (
  <Group gap="0.5rem" my="0.5rem" fz="sm" c="dimmed" role="note">
    <IconPlayerStop size={16} aria-hidden />
    <span>
      <strong>{title}</strong> · {hint}
    </span>
    {session && partial && <ContinueButton session={session} />}
    {session && <TurnButton label="Regenerate" run={() => session.regenerate()} />}
  </Group>
)

const ContinueButton = ({ session }: { session: ChatSession }) => (
  <TurnButton label="Continue" run={() => session.send('Continue where you stopped.')} />
)

const TurnButton = ({ label, run }: { label: string; run: () => Promise<void> }) => (
  <SmallButton onClick={() => run().catch(announceError)}>{label}</SmallButton>
)

/** The model that answered. The built-in one is marked as no language model. */
function ModelLabel({ message: { provider, model } }: { message: Message }) {
  if (!model && !provider) return null
  const name = modelName(provider, model)
  if (provider === offlineModel) {
    return (
      <Tooltip label="Generated on this machine by rules, not by a language model" multiline maw={260}>
        <Badge variant="default" fw={500} tt="none">
          {name}
        </Badge>
      </Tooltip>
    )
  }
  return (
    <Tooltip label={`${provider}/${model}`}>
      <Text span fz="xs" c="dimmed">
        {name}
      </Text>
    </Tooltip>
  )
}

/** Time, tokens and cost. */
export function MessageNumbers({ message }: { message: Message }) {
  const tokens = message.input_tokens + message.output_tokens
  return (
    <Flex component="span" display="inline-flex" gap="0.7rem" align="center" px="0.35rem" fz="xs" c="dimmed">
      <Time at={message.created_at} />
      {tokens > 0 && (
        <Tooltip label={`${whole(message.input_tokens)} in, ${whole(message.output_tokens)} out`}>
          <TextLink href={`/monitor/calls?message=${message.id}`} inherit c="inherit">
            {whole(tokens)} tokens
          </TextLink>
        </Tooltip>
      )}
      {tokens > 0 && message.provider !== offlineModel && (
        <span>
          <Cost usd={message.cost_usd} provider={message.provider} model={message.model} />
        </span>
      )}
    </Flex>
  )
}

function noticeText({ event, data }: Notice): string {
  if (event === 'fallback') return `Switched to ${data.to} because ${data.from} failed: ${data.reason}`
  return `Older messages were summarised: ${whole(data.before_tokens)} → ${whole(data.after_tokens)} tokens`
}

const retryText = ({ model, reason, seconds, asked }: StreamEvents['retry']) =>
  asked
    ? `${model} asks to wait ${whole(Math.ceil(seconds))} s; trying again after that`
    : `${model} failed (${reason}); trying again in ${whole(Math.ceil(seconds))} s`

const WaitText = ({ until, message }: Wait) => `Waiting for the provider until ${exact(until, useZone())}. ${message}`

interface DisclosureProps {
  part: 'reasoning' | 'recall'
  icon: ReactNode
  label: ReactNode
  /** Receives whether it is open. */
  children: (opened: boolean) => ReactNode
}

/** A line that expands. It starts collapsed, so that it does not push the answer away. */
function Disclosure({ part, icon, label, children }: DisclosureProps) {
  const [opened, setOpened] = useState(false)
  const content = useId()
  return (
    <Box mt="0.35rem" mb="0.6rem" data-part={part}>
      <UnstyledButton
        className={classes.reasoningHead}
        aria-expanded={opened}
        aria-controls={content}
        onClick={() => setOpened(!opened)}
      >
        {icon}
        {label}
        <Chevron opened={opened} size={14} />
      </UnstyledButton>
      <Box
        id={content}
        hidden={!opened}
        className="verbatim"
        mt="0.3rem"
        pl="0.8rem"
        fz="sm"
        lh={1.55}
        c="dimmed"
        style={{ borderLeft: '2px solid var(--line)' }}
      >
        {children(opened)}
      </Box>
    </Box>
  )
}

function Reasoning({ text, open }: { text: string; open: boolean }) {
  return (
    <Disclosure
      part="reasoning"
      icon={<IconBulb size={16} aria-hidden />}
      label={<span data-shimmer={open || undefined}>{open ? 'Thinking…' : 'Reasoning'}</span>}
    >
      {() => text}
    </Disclosure>
  )
}

/** The memories in the prompt of an answer, loaded when expanded. */
function Recalled({ episodes }: Pick<RecallPart, 'episodes'>) {
  return (
    <Disclosure part="recall" icon={<IconBrain size={16} aria-hidden />} label={<span>{recalledLabel(episodes)}</span>}>
      {(opened) => opened && episodes.map((episode) => <Memory key={episode.id} {...episode} />)}
    </Disclosure>
  )
}

function Memory({ id, used }: RecallPart['episodes'][number]) {
  const { data, isError } = useEndpoint('/api/memory/episodes/{id}', { params: { id } }, { retry: false })
  if (isError) return <Text size="sm">This memory was deleted</Text>
  if (!data) return <Text size="sm">…</Text>
  return (
    <Text size="sm" c={used === false ? 'dimmed' : undefined} mb={6}>
      {data.content} <Time at={data.created_at} />
    </Text>
  )
}
