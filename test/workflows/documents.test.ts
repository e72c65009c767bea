import { beforeEach, describe, expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { addEpisode, NewEpisode } from '../../runtime/memory/index.ts'
import { importN8n } from '../../runtime/workflows/n8n/import.ts'
import { testHost } from '../support/host.ts'
import { drawn, ran } from './kit.ts'

let host: MemoryHost
beforeEach(async () => {
  host = await testHost()
})

const start = { type: 'trigger.manual' }
const run = (params: object, input: unknown = {}) =>
  ran(host, drawn({ start, node: { type: 'memory', params } }, ['start → node']), { input })
const episodes = () =>
  host.sql.read<{ content: string; topics: string }>('SELECT content, topics FROM episodes ORDER BY rowid')

const sentences = Array.from({ length: 40 }, (_, index) => `Tea number ${index} grows in the garden of the valley.`)

describe('a text that is remembered in pieces', () => {
  test('is cut between sentences, and whole without a size', async () => {
    const { output } = await run({ action: 'save', text: sentences.join(' '), piece_size: 120, topics: ['tea'] })
    const saved = await episodes()
    expect(output).toEqual({ ids: expect.arrayContaining([]) })
    expect((output as { ids: string[] }).ids).toHaveLength(saved.length)
    expect(saved.map(({ content }) => content).join(' ')).toBe(sentences.join(' '))
    expect(saved.every(({ content }) => content.length <= 120 && content.endsWith('.'))).toBe(true)
    expect(await run({ action: 'save', text: 'Short' })).toMatchObject({
      output: { id: expect.stringMatching(/^ep_/) },
    })
  })

  test('repeats the end of a piece in the next one, from a word on', async () => {
    await run({ action: 'save', text: sentences.join(' '), piece_size: 120, piece_overlap: 30 })
    const saved = (await episodes()).map(({ content }) => content)
    for (const [index, content] of saved.slice(1).entries()) {
      const overlap = content.slice(0, 15)
      expect(saved[index]).toContain(overlap)
      expect(sentences.join(' ')).toMatch(new RegExp(`(^| )${overlap}`))
    }
  })

  test.each([
    ['x'.repeat(5_000), 1_000],
    ['\u{1F375}'.repeat(600), 101],
  ])('is cut without spaces too, and not within a character', async (text, size) => {
    await run({ action: 'save', text, piece_size: size, piece_overlap: size })
    const saved = (await episodes()).map(({ content }) => content)
    expect(saved.every((content) => content.length <= size && content.isWellFormed())).toBe(true)
    expect(saved.join('')).toBe(text)
  })

  test('may be that of a file', async () => {
    const nodes = {
      start,
      make: { type: 'convert_to_file', params: { format: 'text', value: 'Assam is a tea' } },
      node: { type: 'memory', params: { action: 'save', file: '=input.file', piece_size: 100 } },
    }
    expect(await ran(host, drawn(nodes, ['start → make', 'make → node']))).toMatchObject({ error: null })
    expect((await episodes())[0]?.content).toContain('Assam')
  })

  test.each([
    [{ action: 'save' }, 'There is no text to remember'],
    [{ action: 'save', file: 'x' }, 'file must be a file'],
    [{ action: 'save', text: 'y'.repeat(40_000) }, 'save it in pieces'],
    [{ action: 'search' }, 'Text is required'],
  ])('refuses %j', async (params, message) => {
    expect(await run(params)).toMatchObject({ status: 'failed', error: { message: expect.stringContaining(message) } })
  })
})

test('a search with topics finds what has one of them', async () => {
  const context = localContext(host)
  const save = (content: string, topics: string[]) => addEpisode(context, NewEpisode.parse({ content, topics }))
  await save('Assam is a black tea', ['tea'])
  await save('Assam is a state of India', ['places'])
  const { output } = await run({ text: 'Assam', topics: ['tea', 'coffee'], as_items: true })
  expect(output).toEqual([
    {
      document: {
        pageContent: 'Assam is a black tea',
        metadata: { id: expect.any(String), created_at: expect.any(String) },
      },
      score: expect.any(Number),
    },
  ])
  expect(((await run({ text: 'Assam' })).output as { results: unknown[] }).results).toHaveLength(2)
})

describe('a vector store of n8n', () => {
  const node = (name: string, type: string, parameters: object = {}, typeVersion = 1) => ({
    ...{ name, type: `@n8n/n8n-nodes-langchain.${type}`, typeVersion, position: [0, 0], parameters },
  })
  const part = (kind: string, to: string) => ({ [`ai_${kind}`]: [[{ node: to, type: `ai_${kind}`, index: 0 }]] })
  const main = (to: string) => ({ main: [[{ node: to, type: 'main', index: 0 }]] })
  const go = { name: 'Go', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, position: [0, 0], parameters: {} }

  test('is the memory, filled and asked', async () => {
    const store = { pineconeIndex: { __rl: true, value: 'teas' } }
    const { workflow, report } = importN8n({
      nodes: [
        go,
        node('Fill', 'vectorStorePinecone', { mode: 'insert', ...store }),
        node('Find', 'vectorStorePinecone', {
          mode: 'load',
          ...store,
          prompt: '={{ $("Go").item.json.question }}',
          topK: 2,
        }),
        node('Embed', 'embeddingsOpenAi'),
        node('Load', 'documentDefaultDataLoader', { jsonMode: 'expressionData', jsonData: '={{ $json.text }}' }),
        node('Cut', 'textSplitterTokenSplitter', { chunkSize: 20, chunkOverlap: 2 }),
      ],
      connections: {
        ...{ Go: main('Fill'), Fill: main('Find') },
        Embed: { ai_embedding: [[...['Fill', 'Find'].map((to) => ({ node: to, type: 'ai_embedding', index: 0 }))]] },
        ...{ Load: part('document', 'Fill'), Cut: part('textSplitter', 'Load') },
      },
    })
    expect(report.placeholders).toEqual([])
    expect(workflow.nodes.map(({ type }) => type)).toEqual(['trigger.manual', 'memory', 'memory'])
    expect(workflow.nodes[1]?.params).toMatchObject({ topics: ['teas'], piece_size: 80, piece_overlap: 8 })
    const done = await ran(host, workflow, { input: { text: sentences.join(' '), question: 'number 7' } })
    expect(done).toMatchObject({ status: 'succeeded', output: [{ document: { pageContent: expect.any(String) } }, {}] })
    expect((await episodes())[0]?.topics).toBe('["teas"]')
  })

  test('of an agent is what it looks into', () => {
    const nodes = [
      go,
      node('Agent', 'agent', { promptType: 'define', text: 'Which tea?' }, 1.7),
      node('Store', 'vectorStoreQdrant', { mode: 'retrieve-as-tool', toolName: 'teas', toolDescription: 'All teas' }),
      node('Embed', 'embeddingsOpenAi'),
    ]
    const connections = { Go: main('Agent'), Store: part('tool', 'Agent'), Embed: part('embedding', 'Store') }
    const { workflow, report } = importN8n({ nodes, connections })
    expect(report.placeholders).toEqual([])
    expect(workflow.nodes).toHaveLength(2)
    expect(workflow.nodes[1]).toMatchObject({
      type: 'agent',
      params: { prompt: 'Use memory_search for teas: All teas\n\nWhich tea?' },
    })
  })

  test('of a chain is what an agent looks into before it answers', () => {
    const nodes = [
      go,
      node('Answer', 'chainRetrievalQa', { promptType: 'define', text: '={{ $json.q }}' }, 1.5),
      node('Find', 'retrieverVectorStore'),
      node('Store', 'vectorStoreSupabase', { tableName: { __rl: true, value: 'documents' } }),
    ]
    const connections = { Go: main('Answer'), Find: part('retriever', 'Answer'), Store: part('vectorStore', 'Find') }
    const { workflow, report } = importN8n({ nodes, connections })
    expect(report.placeholders).toEqual([])
    expect(workflow.nodes.slice(1)).toMatchObject([{ type: 'agent', params: { text_field: 'response' } }])
  })

  test('of another kind has no counterpart', () => {
    const { report } = importN8n({ nodes: [node('A', 'vectorStoreSupabase', { mode: 'update' })] })
    expect(report.placeholders[0]?.reason).toContain('its mode update has no equivalent')
  })
})
