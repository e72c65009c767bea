import { apiCommand } from './client.ts'
import { Failure } from './command.ts'
import { printStream, saveFile } from './derived/answer.ts'
import { jsonOf } from './derived/values.ts'

const api = apiCommand({
  usage: 'api <method> <path>',
  what: 'Send a request to any path of the API and print the answer',
  options: {
    body: { value: 'json', what: 'The body: JSON, @file, or - for the standard input' },
    output: { value: 'path', what: 'Write the answer to this file' },
  },
  examples: ['api GET /api/agents', `api POST /api/loops --body '{"goal": "Tidy up"}'`],
  async run([method = '', path = ''], { body, ...options }, client) {
    if (!path.startsWith('/')) throw new Failure('The path begins with /, as in /api/agents', { name: 'usage' })
    const input = body === undefined ? {} : { body: await jsonOf('body', body) }
    const response = await client.send(method.toUpperCase(), path, input)
    const type = response.headers.get('content-type') ?? ''
    if (type.startsWith('text/event-stream')) return printStream(client, response, { json: true })
    if (options.output !== undefined || !type.startsWith('application/json') || options.json)
      return saveFile(response, options)
    process.stdout.write(`${JSON.stringify(await response.json(), null, 2)}\n`)
  },
})

export const commands = [api]
