import type { Approval } from '../chat/schema.ts'
import { quotable } from '../tools/text.ts'
import type { Button, Platform } from './platform.ts'

/** Maximum characters of a reason, so that a question with its buttons fits into one message of every platform. */
const maxReason = 250

/** Length of the code that identifies an approval on platforms without buttons. */
const codeLength = 5

export const approvalCode = ({ id }: Pick<Approval, 'id'>): string => id.slice(-codeLength).toUpperCase()

export const approvalButtons = ({ id }: Pick<Approval, 'id'>): Button[] => [
  { label: 'Approve', value: `approve ${id}`, style: 'primary' },
  { label: 'Reject', value: `reject ${id}`, style: 'danger' },
]

export interface Question {
  markdown: string
  buttons: Button[]
}

/**
 * An approval as a message. If its whole input does not fit into one message of the platform, it says where to see it and
 * can only be rejected.
 */
export function questionOf(approval: Approval, platform: Platform, page: string | null): Question {
  const { has } = platform
  const head = headOf(approval)
  const canApprove = isShownWhole(approval, platform)
  const code = approvalCode(approval)
  const answers = canApprove ? `\`yes ${code}\` or \`no ${code}\`` : `\`no ${code}\` to reject it`
  const parts = [
    head,
    canApprove ? fenced(approval) : tooLong(approval, page),
    ...(has.buttons ? [] : [`Reply ${answers}.`]),
  ]
  const buttons = approvalButtons(approval).filter(({ style }) => canApprove || style === 'danger')
  return { markdown: parts.join('\n\n'), buttons: has.buttons ? buttons : [] }
}

const headOf = ({ summary, agent_reason }: Approval): string =>
  [`**Approval needed:** ${escaped(summary)}`, ...(agent_reason === null ? [] : [quote(agent_reason)])].join(
    '\n\n',
  )

/** Three backticks would end the block on some platforms. */
const fenced = ({ input_text }: Approval): string =>
  `\`\`\`\n${input_text.replace(/`{3,}/g, (run) => '⟨U+0060⟩'.repeat(run.length))}\n\`\`\``

const tooLong = ({ input_text }: Approval, page: string | null): string =>
  `Its input has ${input_text.length.toLocaleString('en')} characters, too many for this chat. ${elsewhere(page)}`

/** Where an approval that does not fit is answered. */
export const elsewhere = (page: string | null): string =>
  `Read and approve it on the Approvals page of hearthd${page === null ? '' : `: ${page}`}.`

/** Characters that a platform's markup may add for one of these. */
const added = 4
/** Characters for the line that names the codes. */
const answersRoom = 60

/** Whether one message of the platform shows the whole input. */
export function isShownWhole(approval: Approval, { limits, has }: Platform): boolean {
  const text = `${headOf(approval)}\n\n${fenced(approval)}`
  const limit = (has.buttons && limits.button_text_characters) || limits.text_characters
  return text.length + added * (text.match(/[&<>]/g)?.length ?? 0) + answersRoom <= limit
}

/** The reason of an agent, without the marks that would make it bold, code or a link. */
const quote = (reason: string): string => `> The agent says: “${escaped(quotable(reason, maxReason))}”`

/** A line without the marks that would format it. */
export const escaped = (line: string): string => line.replace(/[\\`*[\]<]/g, '\\$&')
