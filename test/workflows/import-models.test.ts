import { expect, test } from 'vitest'
import { importN8n } from '../../runtime/workflows/n8n/import.ts'

const node = (name: string, type: string, parameters: object = {}, typeVersion = 1.7) => ({
  ...{ name, type: `@n8n/n8n-nodes-langchain.${type}`, typeVersion, parameters },
})
const part = (kind: string, of: string) => ({ [kind]: [[{ node: of, type: kind }]] })
const model = node('Model', 'lmChatOpenAi', { model: { value: 'gpt-4o' } })

const example = '{ "city": "Rome", "tags": ["old"], "size": { "km2": 5 } }'
const parser = node('Parser', 'outputParserStructured', { jsonSchemaExample: example }, 1.2)
const schema = {
  type: 'object',
  required: ['output'],
  properties: {
    output: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' } },
        size: { type: 'object', properties: { km2: { type: 'number' } } },
      },
    },
  },
}

test('a chain with its model and its parser is one node, whose answer is where n8n has it', () => {
  const { workflow, report } = importN8n({
    nodes: [
      node('Chain', 'chainLlm', {
        promptType: 'define',
        text: '=About {{ $json.city }}',
        messages: { messageValues: [{ message: 'Be {{ short }}' }] },
      }),
      ...[model, parser],
    ],
    connections: { Model: part('ai_languageModel', 'Chain'), Parser: part('ai_outputParser', 'Chain') },
  })
  expect(report).toMatchObject({ placeholders: [], issues: [] })
  expect(workflow.nodes).toMatchObject([
    {
      type: 'llm',
      input_mode: 'item',
      params: {
        ...{ prompt: '=js:About {{ $json.city }}', system: 'Be {{ "{{" }} short }}', model: 'openai/gpt-4o', schema },
      },
    },
  ])
})

test('an agent without tools asks its model; with tools it is an agent that is told how to use them', () => {
  const { workflow, report } = importN8n({
    nodes: [
      node('Plain', 'agent', {
        promptType: 'define',
        text: 'Hello',
        options: { systemMessage: '=You are {{ $json.who }}', enableStreaming: false },
      }),
      node('Busy', 'agent', { options: {} }),
      node('Fetch', 'toolHttpRequest', { url: 'https://example.com/{id}', toolDescription: 'Gets a thing' }),
      node('Mail', 'gmailTool'),
      node('Memory', 'memoryBufferWindow'),
      ...[model, parser],
    ],
    connections: {
      Model: { ai_languageModel: [[{ node: 'Plain' }, { node: 'Busy' }]] },
      Parser: part('ai_outputParser', 'Busy'),
      Fetch: part('ai_tool', 'Busy'),
      Mail: part('ai_tool', 'Busy'),
      Memory: part('ai_memory', 'Busy'),
    },
  })
  expect(workflow.nodes).toMatchObject([
    {
      type: 'llm',
      params: {
        prompt: 'Hello',
        system: '=js:You are {{ $json.who }}',
        model: 'openai/gpt-4o',
        text_field: 'output',
        stream: false,
      },
    },
    {
      type: 'agent',
      params: {
        ...{ prompt: expect.stringContaining('https://example.com/{id}'), schema },
        session: '=js:{{ $json.sessionId }}',
      },
    },
    { type: 'placeholder', name: 'Mail' },
  ])
  expect(report.placeholders.map(({ name }) => name)).toEqual(['Mail'])
  expect(report.issues.map(({ field, message }) => `${field}: ${message}`)).toEqual([
    'memory: keeps the whole conversation, of this node only: Memory',
    'tools: has no equivalent and is not used: Mail (gmailTool)',
    'agent_id: uses the tools of the agent that is chosen here: the default one',
    'connections.ai_tool: is a connection of another kind and was left out',
  ])
})

test('an extractor has a schema of its attributes, and a message to a model its place in the answer', () => {
  const { workflow } = importN8n({
    nodes: [
      node('Extract', 'informationExtractor', {
        text: '={{ $json.text }}',
        attributes: { attributes: [{ name: 'age', type: 'number', description: 'In years', required: true }] },
      }),
      node('Ask', 'openAi', {
        modelId: { value: 'gpt-4o-mini' },
        messages: { values: [{ content: 'Hi' }, { role: 'system', content: 'Be kind' }] },
      }),
      node('Talk', 'chatTrigger'),
      node('Public', 'chatTrigger', { public: true, options: { responseMode: 'streaming' } }),
      node('Widget', 'chatTrigger', { public: true, authentication: 'basicAuth' }),
    ],
    connections: {},
  })
  const age = { type: 'number', description: 'In years' }
  expect(workflow.nodes).toMatchObject([
    { type: 'llm', params: { schema: { properties: { output: { properties: { age }, required: ['age'] } } } } },
    {
      type: 'llm',
      params: { prompt: 'Hi', system: 'Be kind', model: 'openai/gpt-4o-mini', text_field: 'message.content' },
    },
    { type: 'trigger.manual' },
    { type: 'trigger.webhook', params: { output: 'body', response: 'stream', stream_format: 'json_lines' } },
    { type: 'trigger.webhook', params: { output: 'body', response: 'at_end', first_item: true } },
  ])
})

test('a classifier continues at the output of its category', () => {
  const { workflow, report } = importN8n({
    nodes: [
      node('Sort', 'textClassifier', {
        inputText: '={{ $json.text }}',
        categories: { categories: [{ category: 'Sales', description: 'Wants to buy' }, { category: 'Help' }] },
        options: { fallback: 'other' },
      }),
      node('Mood', 'sentimentAnalysis', { inputText: 'Great' }),
      model,
    ],
    connections: {
      Model: { ai_languageModel: [[{ node: 'Sort' }, { node: 'Mood' }]] },
      Sort: { main: [[], [{ node: 'Mood' }], [{ node: 'Mood' }]] },
    },
  })
  expect(report).toMatchObject({ placeholders: [], issues: [] })
  const cases = [{ name: 'Sales', description: 'Wants to buy' }, { name: 'Help' }]
  expect(workflow.nodes).toMatchObject([
    { type: 'classify', params: { text: '=js:{{ $json.text }}', cases, model: 'openai/gpt-4o' } },
    { type: 'classify', params: { into: 'sentimentAnalysis.category' } },
  ])
  expect(workflow.edges.map(({ source_output }) => source_output)).toEqual(['case:1', 'main'])
})

test('what belongs to a node without an equivalent stays in the drawing, and the import says so', () => {
  const { report } = importN8n({
    nodes: [node('Store', 'vectorStoreQdrant'), node('Vectors', 'embeddingsOpenAi'), model],
    connections: { Vectors: part('ai_embedding', 'Store'), Model: part('ai_languageModel', 'Vectors') },
  })
  expect(report.placeholders.map(({ name }) => name).sort()).toEqual(['Model', 'Store', 'Vectors'])
})
