import { EventSourceParserStream } from 'eventsource-parser/stream'
import { keyOption, withClient } from './client.ts'
import { command, Failure } from './command.ts'

const chat = command({
  usage: 'chat <message>',
  what: 'Send a message and print the answer as it arrives',
  options: {
    conversation: { value: 'id', what: 'Conversation to continue' },
    agent: { value: 'id', what: 'Agent that answers' },
    model: { value: 'name', what: 'Model for this message' },
    ...keyOption,
    json: { what: 'Print each event as a line of JSON' },
  },
  examples: ['chat "what is on my list?"'],
  run: ([message = ''], { conversation: conversation_id, agent: agent_id, model, ...options }) =>
    withClient(options, async (client) => {
      const body = { message, conversation_id, agent_id, model }
      const { body: stream } = await client.post('/api/chat/messages/stream', { body })
      if (!stream) throw new Failure('The daemon sent no stream')
      return show(stream, options.json)
    }),
})

/** Prints the events of an answer. Returns 1 if the answer ended with an error. */
async function show(stream: ReadableStream<Uint8Array>, json = false): Promise<number> {
  let code = 1
  const text = stream.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
  for await (const { event = 'message', data } of text.pipeThrough(new EventSourceParserStream())) {
    const parsed = JSON.parse(data) as Record<string, unknown>
    if (json) process.stdout.write(`${JSON.stringify({ event, data: parsed })}\n`)
    else printEvent(event, parsed)
    if (event === 'done') code = 0
  }
  return code
}

/** The answer goes to the standard output, everything else to the standard error. */
function printEvent(event: string, data: Record<string, unknown>): void {
  const note = (text: string) => process.stderr.write(`${text}\n`)
  if (event === 'token') process.stdout.write(String(data.content))
  else if (event === 'tool_use') note(`[${data.tool}]`)
  else if (event === 'retry') note(`[${data.model}: ${data.reason}; trying again in ${data.seconds} s]`)
  else if (event === 'fallback') note(`[${data.from} → ${data.to}: ${data.reason}]`)
  else if (event === 'approval_required') note('[Waiting for your approval: answer in the web UI]')
  else if (event === 'error') note(`${data.code}: ${data.message}`)
  else if (event === 'done') process.stdout.write('\n')
}

export const commands = [chat]
