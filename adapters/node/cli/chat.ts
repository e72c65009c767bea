import { connect } from './client.ts'
import { type Command, Failure, type Options, textOption } from './command.ts'
import { type ReceivedEvent, readEvents } from './server-events.ts'
import { environmentOf } from './settings.ts'

export const command: Command = {
  usage: 'chat <message>',
  what: 'Send a message and print the answer as it comes',
  options: [
    ['--conversation', 'Id of the conversation to go on with'],
    ['--agent', 'Id of the agent'],
    ['--model', 'Model to use for this message'],
    ['--key', 'API key (default SERVICE_API_KEY, else a session of this machine)'],
    ['--json', 'Print every event as a line of JSON'],
  ],
  examples: ['chat "what is on my list?"'],
  async run([message = ''], options) {
    const client = await connect(environmentOf({}), options)
    try {
      const response = await client.send('POST', '/api/chat/messages/stream', bodyOf(message, options))
      if (!response.body) throw new Failure('The daemon sent no stream')
      return await show(readEvents(response.body), options)
    } finally {
      await client.close()
    }
  },
}

const bodyOf = (message: string, options: Options) => ({
  message,
  conversation_id: textOption(options, 'conversation'),
  agent_id: textOption(options, 'agent'),
  model: textOption(options, 'model'),
})

/** Returns 1 when the turn ended in an error. */
async function show(events: AsyncIterable<ReceivedEvent>, options: Options): Promise<number> {
  let code = 1
  for await (const { event, data } of events) {
    if (options.json) process.stdout.write(`${JSON.stringify({ event, data })}\n`)
    else showEvent(event, data as Record<string, unknown>)
    if (event === 'done') code = 0
  }
  return code
}

function showEvent(event: string, data: Record<string, unknown>): void {
  const aside = (text: string) => process.stderr.write(`${text}\n`)
  if (event === 'token') process.stdout.write(String(data.content))
  else if (event === 'tool_use') aside(`[${data.tool}]`)
  else if (event === 'fallback') aside(`[${data.from} → ${data.to}: ${data.reason}]`)
  else if (event === 'approval_required') aside('[It asks for your approval: answer in the web UI]')
  else if (event === 'error') aside(`${data.code}: ${data.message}`)
  else if (event === 'done') process.stdout.write('\n')
}
