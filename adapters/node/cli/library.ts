import { openAsBlob } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { apiCommand } from './client.ts'
import { Failure, print } from './command.ts'

const search = apiCommand({
  usage: 'memory search <query>',
  what: 'Search the memory, best first',
  options: { limit: { short: 'n', value: 'count', what: 'How many results', default: '10' } },
  async run([q = ''], { limit, ...options }, client) {
    const found = await client.get('/api/memory/search', { query: { q, limit: Number(limit) } })
    const rows = found.results.map(({ score, episode }) => `${score.toFixed(2)}  ${episode.content}`)
    print(options, found, rows.join('\n') || 'Nothing found')
  },
})

const remember = apiCommand({
  usage: 'memory add <text>',
  what: 'Remember a text',
  async run([content = ''], options, client) {
    const episode = await client.post('/api/memory/episodes', { body: { content } })
    print(options, episode, episode.id)
  },
})

const agents = apiCommand({
  usage: 'agent ls',
  what: 'List the agents, the default first',
  async run(_, options, client) {
    const found = await client.get('/api/agents')
    const rows = found.agents.map(({ id, name, enabled, is_default, description }) =>
      [
        id.padEnd(32),
        (is_default ? 'default' : enabled ? '' : 'disabled').padEnd(8),
        name.padEnd(20),
        description,
      ]
        .join(' ')
        .trimEnd(),
    )
    print(options, found, rows.join('\n'))
  },
})

const put = apiCommand({
  usage: 'file put <path>',
  what: 'Upload a file and print its id',
  async run([path = ''], options, client) {
    const form = new FormData()
    form.append('file', await blobOf(path), basename(path))
    const file = await client.upload('/api/files', form)
    print(options, file, file.id)
  },
})

/** Read while it is sent, not as a whole. */
async function blobOf(path: string): Promise<Blob> {
  try {
    return await openAsBlob(path)
  } catch {
    throw new Failure(`${path} cannot be read`, { name: 'not_found' })
  }
}

const get = apiCommand({
  usage: 'file get <id> [path]',
  what: 'Download a file to a path, or to the standard output',
  options: {
    json: { what: 'Print what is known about the file as JSON; its content goes to the path only' },
  },
  async run([id = '', path], { json = false }, client) {
    const params = { id }
    if (path !== undefined || !json) {
      const { body } = await client.get('/api/files/{id}/content', { params })
      const bytes = Readable.from(body ?? [])
      if (path === undefined) return pipeline(bytes, process.stdout, { end: false })
      await writeFile(path, bytes, { flag: 'wx' }).catch(refuseOverwrite(path))
    }
    if (json) print({ json }, await client.get('/api/files/{id}', { params }), '')
  },
})

const refuseOverwrite = (path: string) => (thrown: NodeJS.ErrnoException) => {
  if (thrown.code !== 'EEXIST') throw thrown
  throw new Failure(`${path} already exists; choose another path`, { name: 'conflict' })
}

export const commands = [search, remember, agents, put, get]
