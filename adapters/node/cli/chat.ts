import { text as readAll } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Approval } from '../../../runtime/chat/schema.ts'
import { describe } from './approve.ts'
import { type Client, keyOption, withClient } from './client.ts'
import { command, Failure, plain } from './command.ts'
import { eventsOf } from './events.ts'
import { question } from './prompt.ts'

interface ChatOptions {
  conversation?: string | undefined
  agent?: string | undefined
  model?: string | undefined
  json?: boolean | undefined
}

const chat = command({
  usage: 'chat [message]',
  what: 'Send a message, followed by the standard input if it is piped, and print the answer; without a message, start a session',
  options: {
    conversation: { value: 'id', what: 'Conversation to continue' },
    agent: { value: 'id', what: 'Agent that answers' },
    model: { value: 'name', what: 'Model for the messages' },
    ...keyOption,
    json: { what: 'Print each event as a line of JSON' },
  },
  examples: ['chat "what is on my list?"', 'chat', 'chat < question.txt', 'git diff | hearthd chat "review this"'],
  run: ([question], { key, ...settings }) =>
    withClient({ key }, async (client) => {
      if (question === undefined && process.stdin.isTTY) return talk(client, settings)
      const piped = process.stdin.isTTY ? '' : await pipedText(question === undefined)
      const message = [question, piped].filter(Boolean).join('\n\n')
      if (message === '') throw new Failure('No message given: pass one, or pipe it in', { name: 'usage' })
      return (await send(client, message, settings)).code
    }),
})

/** Milliseconds. Some programs start others with a pipe that they neither write to nor close. */
const firstTextWithin = 1_000

/** The standard input. Unless it is required, an input without any text for a second counts as empty. */
async function pipedText(required: boolean): Promise<string> {
  const hasBegun = new Promise<true>((resolve) => process.stdin.once('readable', () => resolve(true)))
  if (!required && !(await Promise.race([hasBegun, sleep(firstTextWithin, false, { ref: false })]))) {
    process.stdin.destroy()
    return ''
  }
  return (await readAll(process.stdin)).trim()
}

/** A conversation at the terminal: one line, one message. */
async function talk(client: Client, settings: ChatOptions): Promise<number> {
  let conversation = settings.conversation
  for (;;) {
    const line = await question('> ')
    if (line === null) return 0
    if (line.trim() === '') continue
    conversation = (await send(client, line, { ...settings, conversation })).conversation ?? conversation
  }
}

interface Sent {
  /** 1 if the answer ended with an error. */
  code: number
  conversation: string | undefined
}

async function send(client: Client, message: string, settings: ChatOptions): Promise<Sent> {
  const { conversation: conversation_id, agent: agent_id, model, json = false } = settings
  const body = { message, conversation_id, agent_id, model }
  const response = await client.post('/api/chat/messages/stream', { body })
  const sent: Sent = { code: 1, conversation: conversation_id }
  for await (const { event, data } of eventsOf(response)) {
    const parsed = data as Record<string, unknown>
    if (json) process.stdout.write(`${JSON.stringify({ event, data: parsed })}\n`)
    else printEvent(event, parsed)
    if (event === 'message_start') sent.conversation = String(parsed.conversation_id)
    if (event === 'approval_required') await decide(client, parsed.approval as Approval)
    if (event === 'done') sent.code = 0
  }
  return sent
}

/** Asks the person at the terminal; without one, the action waits for an answer elsewhere. */
async function decide(client: Client, approval: Approval): Promise<void> {
  const { id: approval_id, conversation_id: id, risk } = approval
  process.stderr.write(plain(`\n${describe(approval)}\n`))
  if (!process.stdin.isTTY) {
    process.stderr.write(`[Waiting for your approval: hearthd approve ${approval_id}]\n`)
    return
  }
  const choices = risk === 'high' ? 'y/n' : 'y/n/always'
  const answer = (await question(`Allow it? [${choices}] `))?.trim().toLowerCase() ?? 'n'
  const remember = answer === 'always' && risk !== 'high'
  const body = { approval_id, approved: remember || answer === 'y' || answer === 'yes', remember }
  await client.post('/api/chat/conversations/{id}/approval-response', { params: { id }, body })
}

/** The answer goes to the standard output, everything else to the standard error. */
function printEvent(event: string, data: Record<string, unknown>): void {
  const note = (text: string) => process.stderr.write(`${plain(text)}\n`)
  if (event === 'token') process.stdout.write(plain(String(data.content)))
  else if (event === 'tool_use') note(`[${data.tool}]`)
  else if (event === 'retry') note(`[${data.model}: ${data.reason}; trying again in ${data.seconds} s]`)
  else if (event === 'fallback') note(`[${data.from} → ${data.to}: ${data.reason}]`)
  else if (event === 'error') note(`${data.code}: ${data.message}`)
  else if (event === 'done') process.stdout.write('\n')
}

export const commands = [chat]
