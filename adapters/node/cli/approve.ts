import type { Approval } from '../../../runtime/chat/schema.ts'
import { apiCommand, type Client } from './client.ts'
import { Failure, plain, print } from './command.ts'
import { question } from './prompt.ts'

const approve = apiCommand({
  usage: 'approve [approval]',
  what: 'Allow what an agent asked for, or reject it; without an id, list what is waiting',
  options: {
    reject: { what: 'Reject it' },
    reason: { value: 'text', what: 'What to tell the agent' },
    always: { what: 'Allow this tool for the rest of the conversation' },
    yes: { short: 'y', what: 'Allow it without asking; needed without a terminal' },
  },
  examples: ['approve', 'approve apr_01k… --yes', 'approve apr_01k… --reject --reason "use the other printer"'],
  async run([id], { reject = false, always = false, yes = false, reason, ...options }, client) {
    const waiting = await pending(client)
    if (id === undefined)
      return print(
        options,
        { approvals: waiting },
        waiting.map((one) => `${one.id}  ${describe(one)}`).join('\n\n') || 'No pending approvals',
      )
    const approval = waiting.find((one) => one.id === id)
    if (!approval)
      throw new Failure(`No approval ${id} is waiting; hearthd approve lists those that are`, { name: 'not_found' })
    if (always && approval.risk === 'high')
      throw new Failure('A high-risk action is allowed once only; leave out --always', { name: 'usage' })
    if (approval.question?.schema && !reject)
      throw new Failure('This is a form: answer it in the Inbox of the web UI, or decline it with --reject', {
        name: 'usage',
      })
    if (!reject && !(await allows(approval, yes))) return
    const body = { approval_id: id, approved: !reject, remember: always, reason }
    const params = { id: approval.conversation_id }
    const answer = await client.post('/api/chat/conversations/{id}/approval-response', { params, body })
    print(options, answer, `${reject ? 'Rejected' : 'Approved'}: ${describe(approval)}`)
  },
})

const pending = async (client: Client): Promise<Approval[]> =>
  (await client.get('/api/chat/approvals', { query: { status: 'pending', limit: 200 } })).approvals

/** Shows the whole request before it is allowed, and asks at a terminal. */
async function allows(approval: Approval, yes: boolean): Promise<boolean> {
  process.stderr.write(plain(`${describe(approval)}\n`))
  if (yes) return true
  if (!process.stdin.isTTY)
    throw new Failure('Nothing was approved: there is no terminal to ask at. Add --yes to allow the above', {
      name: 'usage',
    })
  return /^y(es)?$/i.test((await question('Allow it? [y/n] '))?.trim() ?? '')
}

/** What an agent asks for, why, and the input of the tool. */
export const describe = ({ summary, risk, agent_reason, input_text, question }: Approval): string =>
  `${summary} (risk: ${risk})\n${question?.url ? `Open ${question.url}\n` : ''}${agent_reason === null ? '' : `The agent says: “${agent_reason}”\n`}${input_text.replace(/^/gm, '  ')}`

export const commands = [approve]
