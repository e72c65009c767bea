import { type Approval, answerApproval, findApproval, listApprovals, publicApproval } from '../chat/index.ts'
import { onEvents } from '../events/subscribe.ts'
import { Fault } from '../fault.ts'
import { GuardFailed } from '../ports/sql.ts'
import type { LiveDevice } from './live.ts'

const maxShown = 20
/** Maximum characters of an input, as JSON and as text; a frame is limited to 1 MiB. */
const maxInput = 10_000

/** Sends a device its owner's pending approvals, now and whenever they change, while the owner allows it. */
export function followApprovals(live: LiveDevice): void {
  onEvents(live.context, live.context.signal, ({ type, owner_id }) => {
    const isOwn = owner_id === live.owner_id
    if (isOwn && (type === 'approval.requested' || type === 'approval.resolved')) showApprovals(live)
  })
  showApprovals(live)
}

/** Applies the capabilities that may be used from now on, and notifies the device. */
export function allow(live: LiveDevice, allowed_commands: readonly string[]): void {
  live.allowed = new Set(allowed_commands)
  live.send({ type: 'allowed', allowed_commands })
  showApprovals(live)
}

/** Sends the owner's pending approvals now, if the device may show them. */
function showApprovals(live: LiveDevice): void {
  sendApprovals(live).catch((cause: unknown) =>
    live.context.log.write('warn', 'cannot send approvals to a device', {
      device: live.id,
      cause: String(cause),
    }),
  )
}

async function sendApprovals(live: LiveDevice): Promise<void> {
  if (!live.allowed.has('approvals')) return
  const { rows: approvals, total } = await listApprovals(live.context, {
    status: 'pending',
    limit: maxShown,
    offset: 0,
  })
  live.send({
    type: 'approvals',
    total,
    approvals: approvals.map((approval) => {
      const { id, tool, summary, agent_reason, risk, input, input_text, requested_at, expires_at } = approval
      const content = isShownWhole(approval) ? { input, input_text } : { input: null, input_text: null }
      return { ...{ id, tool, summary, agent_reason, risk, requested_at, expires_at }, ...content }
    }),
  })
}

const isShownWhole = ({ input, input_text, question }: Approval): boolean =>
  question === null && Math.max(input_text.length, JSON.stringify(input).length) <= maxInput

/** Answers an approval as the owner of the device. */
export async function answerFromDevice({ context }: LiveDevice, approval_id: string, approved: boolean) {
  try {
    const approval = await findApproval(context, approval_id)
    const { rows: approvals } = await listApprovals(context, { status: 'pending', limit: 200, offset: 0 })
    if (!approval || !approvals.some(({ id }) => id === approval_id))
      return { ok: false, error: 'This approval is no longer pending' }
    if (approved && !isShownWhole(publicApproval(approval)))
      return { ok: false, error: 'The input is too long for a device. Approve it on the Inbox page.' }
    await answerApproval(context, approval.conversation_id, {
      approval_id,
      approved,
      remember: false,
      dismissed: false,
    })
    return { ok: true, error: null }
  } catch (thrown) {
    if (thrown instanceof Fault || thrown instanceof GuardFailed) return { ok: false, error: thrown.message }
    throw thrown
  }
}
