import { findMessage, type Message, textOf, turnKind } from '../chat/index.ts'
import type { Context } from '../context.ts'
import type { Statement } from '../ports/sql.ts'
import { errorMessage } from '../thrown.ts'
import { minute, second } from '../time.ts'
import { within } from '../within.ts'
import type { WorkKind } from '../work/kind.ts'
import type { Wait } from '../work/schema.ts'
import { latestWork, rescheduleWork, waitIn } from '../work/select.ts'
import { insertWork } from '../work/store.ts'
import { findChannel, type StoredChannel } from './channel-store.ts'
import { connect, openReply } from './connection.ts'
import { progressKind } from './kinds.ts'
import { changeOutbound, hasPending, lastSent, outboundOfTurn } from './message-store.ts'
import type { Peer } from './platform.ts'
import { isFree, laneOf, queueLane, queueMessage } from './send.ts'

/** Platforms show the typing indicator for at least five seconds. */
const typingInterval = 4 * second
/** The indicator stops after this time. */
const maxTyping = 5 * minute
/** Between two edits of an answer that grows. Telegram allows 20 messages a minute in a group. */
const editIntervals: Record<Peer['kind'], number> = { dm: 2 * second, group: 4 * second }
/** Between two looks at an answer that waits. */
const waitingInterval = 20 * second
/** A wait for a model that takes longer than this is reported. */
const longWait = 3 * minute

/** What a message shows while it is being answered. */
const seen = '👀'

interface Progress {
  channel_id: string
  peer: Peer
  /** `sealed_reply` of the message being answered. */
  sealed_reply: string | null
  /** Milliseconds since the epoch. */
  started_at: number
  /** Whether the message has the reaction. */
  reacted?: boolean
  /** Characters of the answer at the last look. */
  length?: number
  /** Since when the answer waits for a model, in milliseconds since the epoch; null if it does not. */
  waiting_since?: number | null
  /** Whether the person knows that it takes long. */
  wait_reported?: boolean
}

/** Shows from now on how far an answer is. */
export const showProgress = (context: Context, turn: string, progress: Omit<Progress, 'started_at'>): Statement =>
  next(context, turn, { ...progress, started_at: context.clock.now() }, 0)

/** Shows at once that an answer has ended or continues. */
export const updateProgress = (turn: string): Statement =>
  rescheduleWork({ kind: progressKind, subject: turn }, 'created_at', 'true')

const next = (context: Context, subject: string, progress: Progress, wait: number): Statement =>
  insertWork(context, {
    kind: progressKind,
    subject,
    payload: { ...progress },
    due: context.clock.now() + wait,
  }).statement

/** Shows how far an answer is, until it ends: a reaction, the typing indicator and its text so far. */
export const progressWork: WorkKind = {
  kind: progressKind,
  max_running: 20,
  timeout_seconds: 30,
  after_crash: 'retry',
  async run({ subject, payload }, context) {
    const progress = payload as unknown as Progress
    const channel = await findChannel(context, progress.channel_id)
    if (!channel?.enabled) return { status: 'succeeded' }
    const answer = await findMessage(context, subject)
    const { platform, ...actions } = await actionsOf(context, channel, progress)
    if (answer?.status !== 'streaming') {
      if (progress.reacted) await actions.react(null)
      return { status: 'succeeded' }
    }
    if (!progress.reacted) await actions.react(seen)
    const work = await latestWork(context, turnKind, subject)
    const wait = work && waitIn(work)
    const isAsking = answer.parts.some((part) => part.type === 'tool_use' && part.state === 'waiting')
    const shown = { ...progress, reacted: true }
    if (isAsking) return { status: 'succeeded', statements: [next(context, subject, shown, waitingInterval)] }
    if (wait) return { status: 'succeeded', statements: await reportWait(context, channel, { wait, subject, shown }) }
    if (context.clock.now() - progress.started_at < maxTyping) await actions.type()
    const { length } = textOf(answer.parts)
    const grows = platform.edit !== undefined && length !== (progress.length ?? 0)
    const drafted = grows ? await draft(context, channel, { answer, progress }) : []
    const interval = platform.edit ? editIntervals[progress.peer.kind] : typingInterval
    const later = {
      ...shown,
      length: drafted.length > 0 ? length : (progress.length ?? 0),
      waiting_since: null,
    }
    return { status: 'succeeded', statements: [...drafted, next(context, subject, later, interval)] }
  },
}

/** What can be shown in a chat. Nothing depends on it, so what fails is left out. */
async function actionsOf(context: Context, channel: StoredChannel, { peer, sealed_reply }: Progress) {
  const { platform, connection } = await connect(context, channel)
  const reply = await openReply(context, sealed_reply)
  const attempt = async (show: (limited: Context) => Promise<void> | undefined) => {
    try {
      await within(context, { milliseconds: typingInterval }, (signal) => Promise.resolve(show({ ...context, signal })))
    } catch (thrown) {
      context.log.write('debug', 'cannot show progress', { cause: errorMessage(thrown) })
    }
  }
  return {
    platform,
    type: () => attempt((limited) => platform.typing?.(peer, connection, limited, reply)),
    react: (emoji: string | null) =>
      attempt((limited) => (reply ? platform.react?.(emoji, { peer, reply }, connection, limited) : undefined)),
  }
}

/** Reports once that an answer waits for its model, if that takes long. */
async function reportWait(
  context: Context,
  channel: StoredChannel,
  { wait, subject, shown }: { wait: Wait; subject: string; shown: Progress },
): Promise<Statement[]> {
  const now = context.clock.now()
  const waiting_since = shown.waiting_since ?? now
  const isLong = Date.parse(wait.until) - now > longWait || now - waiting_since > longWait
  const later = { ...shown, waiting_since, wait_reported: shown.wait_reported === true || isLong }
  const markdown = 'This takes longer than usual: my model cannot be reached. I will answer as soon as it can.'
  const { peer, sealed_reply } = shown
  const report =
    isLong && !shown.wait_reported ? await queueMessage(context, channel, { peer, markdown, sealed_reply }) : null
  return [...(report?.statements ?? []), next(context, subject, later, waitingInterval)]
}

/** Queues the text so far as a message, or as an edit of it while nothing else has been sent after it. */
async function draft(
  context: Context,
  channel: StoredChannel,
  { answer, progress: { peer, sealed_reply } }: { answer: Message; progress: Progress },
): Promise<Statement[]> {
  const lane = laneOf(channel.id, peer)
  if (!isFree(context, channel.id) || (await hasPending(context, lane))) return []
  const turn = answer.id
  const old = (await outboundOfTurn(context, turn)).findLast(({ kind }) => kind === 'draft')
  if (!old)
    return (await queueMessage(context, channel, { kind: 'draft', turn, peer, markdown: '', sealed_reply })).statements
  if (old.platform_message_id === null || (await lastSent(context, lane))?.id !== old.id) return []
  return [changeOutbound(old.id), queueLane(context, channel, lane, context.clock.now())]
}
