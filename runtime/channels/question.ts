import type { Approval } from '../chat/index.ts'
import { clipped, quotable } from '../tools/text.ts'
import type { Button, Platform } from './platform.ts'
import { splitMarkdown } from './split.ts'

/** Maximum characters of a reason, so that a question with its buttons fits into one message of every platform. */
const maxReason = 250
/** Maximum characters of a summary whose input is shown elsewhere. */
const maxSummary = 400
/** Maximum approvals of one message: with two buttons each, and two for all, as many as a list of WhatsApp has rows. */
const maxApprovals = 4

/** Length of the code that identifies an approval on platforms without buttons. */
const codeLength = 5

export const approvalCode = ({ id }: Pick<Approval, 'id'>): string => id.slice(-codeLength).toUpperCase()

export const isPending = ({ status }: Pick<Approval, 'status'>): boolean => status === 'pending'

interface Question {
  markdown: string
  buttons: Button[]
}

interface Place {
  platform: Platform
  /** The address of the Inbox page; null if it is not known. */
  page: string | null
  /** Ids of the approvals whose input the messages before this one show. */
  above: ReadonlySet<string>
}

/**
 * Approvals as one message: each with its whole input until it is decided. An input that does not fit is in the messages
 * before it; one that is too long for these too is on the Inbox page, and its approval can only be rejected. `id` is
 * that of the message.
 */
export function questionOf(id: string, approvals: readonly Approval[], place: Place): Question {
  const { has } = place.platform
  const numbered = approvals.length > 1
  const parts = approvals.map((approval, index) =>
    isPending(approval)
      ? bodyOf(approval, { number: numbered ? index + 1 : null, input: inputOf(approval, place) })
      : outcomeOf(approval),
  )
  if (!approvals.some(isPending)) return { markdown: parts.join('\n\n'), buttons: [] }
  const buttons = buttonsOf(id, approvals, place)
  if (has.buttons) return { markdown: parts.join('\n\n'), buttons }
  return { markdown: [...parts, `Reply ${answersOf(approvals, place)}.`].join('\n\n'), buttons: [] }
}

/** Whether a person who reads the question has the whole input. */
export const isReadable = (approval: Approval, { platform, above }: Pick<Place, 'platform' | 'above'>): boolean =>
  approval.question === null && (above.has(approval.id) || isShownWhole(approval, platform))

/** The input, or where it is. */
function inputOf(approval: Approval, { platform, page, above }: Place): string {
  if (approval.question) return elsewhere(page)
  if (isShownWhole(approval, platform)) return fenced(approval)
  return above.has(approval.id) ? 'Its whole input is in the messages above.' : tooLong(approval, page)
}

function buttonsOf(id: string, approvals: readonly Approval[], place: Place): Button[] {
  const numbered = approvals.length > 1
  const single = approvals.flatMap((approval, index): Button[] => {
    if (!isPending(approval)) return []
    const number = numbered ? ` ${index + 1}` : ''
    const reject: Button = { label: `Reject${number}`, value: `reject ${approval.id}`, style: 'danger' }
    if (!isReadable(approval, place)) return [reject]
    return [{ label: `Approve${number}`, value: `approve ${approval.id}`, style: 'primary' }, reject]
  })
  const count = approvals.length
  const all: Button[] = [
    { label: 'Approve all', value: `approve ${id} ${count}`, style: 'primary' },
    { label: 'Reject all', value: `reject ${id} ${count}`, style: 'danger' },
  ]
  return mayAnswerAll(approvals) ? [...all, ...single] : single
}

/** Whether one answer may decide about all that are pending: about several, of which none is risky. */
export function mayAnswerAll(approvals: readonly Approval[]): boolean {
  const pending = approvals.filter(isPending)
  return pending.length > 1 && pending.every(({ risk }) => risk !== 'high')
}

/** What to reply where there are no buttons. */
function answersOf(approvals: readonly Approval[], place: Place): string {
  const codes = approvals
    .filter(isPending)
    .map((approval) =>
      isReadable(approval, place)
        ? `\`yes ${approvalCode(approval)}\` or \`no ${approvalCode(approval)}\``
        : `\`no ${approvalCode(approval)}\` to reject it`,
    )
  return [...(mayAnswerAll(approvals) ? ['`yes all` or `no all`'] : []), ...codes].join(', ')
}

interface Shown {
  /** Its place among several; null if it is alone. */
  number: number | null
  /** Its input, or where that is. */
  input: string
}

function bodyOf(approval: Approval, { number, input }: Shown): string {
  const { summary, agent_reason } = approval
  const isWhole = input === fenced(approval)
  const title = number === null ? 'Approval needed:' : `${number}. Approval needed:`
  return [
    `**${title}** ${escaped(isWhole ? summary : clipped(summary, maxSummary))}`,
    ...(agent_reason === null ? [] : [quote(agent_reason)]),
    input,
  ].join('\n\n')
}

const outcomes: Readonly<Record<Approval['status'], string>> = {
  pending: '',
  approved: '✅ Approved',
  rejected: '❌ Rejected',
  expired: '⌛ Expired',
  cancelled: '⏹ Cancelled',
}

/** A decided approval, on one line. */
export const outcomeOf = ({ status, summary }: Pick<Approval, 'status' | 'summary'>): string =>
  `${outcomes[status]}: ${escaped(summary)}`

/** Three backticks would end the block on some platforms. */
const fenced = ({ input_text }: Approval): string =>
  `\`\`\`\n${input_text.replace(/`{3,}/g, (run) => '⟨U+0060⟩'.repeat(run.length))}\n\`\`\``

const tooLong = ({ input_text }: Approval, page: string | null): string =>
  `Its input has ${input_text.length.toLocaleString('en')} characters, too many for this chat. ${elsewhere(page)}`

/** How to answer an approval that is too long for the chat. */
export const elsewhere = (page: string | null): string =>
  `Read and answer it on the Inbox page of hearthd${page === null ? '' : `: ${page}`}.`

/** Characters that a platform's markup may add for one of these. */
const added = 4
/** Characters for the line that names the codes of one approval. */
const answersRoom = 60

/** Whether one message of the platform shows the whole input. */
const isShownWhole = (approval: Approval, platform: Platform): boolean => areShownWhole([approval], platform)

/** Whether these can be asked in one message that shows the whole input of each. */
export const fitTogether = (approvals: readonly Approval[], platform: Platform): boolean =>
  approvals.length <= maxApprovals && areShownWhole(approvals, platform)

function areShownWhole(approvals: readonly Approval[], { limits, has }: Platform): boolean {
  const text = approvals
    .map((approval, index) =>
      bodyOf(approval, { number: approvals.length > 1 ? index + 1 : null, input: fenced(approval) }),
    )
    .join('\n\n')
  const limit = (has.buttons && limits.button_text_characters) || limits.text_characters
  return widthOf(text) + answersRoom * approvals.length <= limit
}

/** Characters that a text has at most in a platform's markup. */
const widthOf = (text: string): number => text.length + added * (text.match(/[&<>]/g)?.length ?? 0)

/** Maximum messages that show one input. */
const maxParts = 6
/** Characters for the line that names a part. */
const titleRoom = 40

/** The input of an approval that is too long for its question, as messages before it; none if it is too long for these too. */
export function partsOf(approval: Approval, platform: Platform): string[] {
  if (approval.question || isShownWhole(approval, platform)) return []
  const limit = platform.limits.text_characters
  const parts = splitMarkdown(fenced(approval), Math.floor(limit * 0.8) - titleRoom)
  if (parts.length > maxParts) return []
  const titled = parts.map((part, index) => `**Input to approve, part ${index + 1} of ${parts.length}:**\n\n${part}`)
  return titled.every((part) => widthOf(part) <= limit) ? titled : []
}

/** The reason of an agent, without the marks that would make it bold, code or a link. */
const quote = (reason: string): string => `> The agent says: “${escaped(quotable(reason, maxReason))}”`

/** A line without the marks that would format it. */
const escaped = (line: string): string => line.replace(/[\\`*[\]<]/g, '\\$&')
