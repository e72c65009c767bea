import { ownValue } from '../../own-value.ts'
import { each, NotExact, skipped } from './equivalent.ts'
import { commaSeparated, isExpression, listOf, translated } from './texts.ts'
import type { Fields, Part, Translate, Translated, Translating } from './translating.ts'
import { originsOf, streamed } from './triggers.ts'

/** Vendors of models by the nodes of n8n. */
const vendors: Readonly<Record<string, string>> = {
  ...{ lmChatOpenAi: 'openai', lmOpenAi: 'openai', lmChatAnthropic: 'anthropic', lmChatGoogleGemini: 'google' },
  ...{ lmChatOllama: 'ollama', lmOllama: 'ollama', lmChatGroq: 'groq', lmChatMistralCloud: 'mistral' },
  ...{ lmChatOpenRouter: 'openrouter', lmChatDeepSeek: 'deepseek', lmChatXAiGrok: 'xai' },
}

export const memberValue = (field: unknown): unknown =>
  typeof field === 'object' && field !== null && 'value' in field ? field.value : field

/** The model of a node: `provider/model`, or none to use that of the settings. */
export function modelOf(node: Translating): Fields {
  const [part, ...fallbacks] = partsOf(node, 'ai_languageModel')
  for (const fallback of fallbacks) node.report('model', `has a fallback, which is not kept: ${fallback.name}`)
  if (!part) return {}
  const vendor = ownValue(vendors, part.type)
  const { model, modelName, options } = part.parameters
  const name = memberValue(model ?? modelName)
  skipped(node, 'model', options)
  if (vendor && typeof name === 'string' && !isExpression(name))
    return { model: `${vendor}/${name.replace(/^models\//, '')}` }
  node.report('model', `is the model of the settings instead of ${part.type}: choose another one in the node`, name)
  return {}
}

/** The nodes that belong to this one, which are then no nodes of their own. */
export function partsOf(node: Pick<Translating, 'parts'>, kind: string): Part[] {
  const parts = node.parts.filter((part) => part.kind === kind)
  for (const part of parts) part.use()
  return parts
}

/** Texts as one, of which some are expressions. */
export function joined(texts: readonly unknown[]): unknown {
  const own = texts.map((text) => String(text ?? '')).filter((text) => text !== '' && text !== '=')
  if (!own.some(isExpression)) return translated(own.join('\n\n'))
  const pieces = own.map((text) => (isExpression(text) ? text.slice(1) : text.replaceAll('{{', '{{ "{{" }}')))
  return translated(`=${pieces.join('\n\n')}`)
}

type JsonSchema = Record<string, unknown>

function schemaLike(example: unknown): JsonSchema {
  if (Array.isArray(example)) return { type: 'array', items: example.length > 0 ? schemaLike(example[0]) : {} }
  if (example === null) return {}
  if (typeof example !== 'object') return { type: typeof example }
  const properties = Object.fromEntries(Object.entries(example).map(([name, value]) => [name, schemaLike(value)]))
  return { type: 'object', properties }
}

function parsedJson(text: unknown): unknown {
  if (isExpression(text)) throw new NotExact('a schema from an expression has no equivalent')
  try {
    return JSON.parse(String(text)) as unknown
  } catch {
    throw new NotExact('its schema is not JSON')
  }
}

/** The schema that a node or its parser has. */
function schemaIn({ schemaType, jsonSchemaExample, inputSchema, jsonSchema }: Fields): JsonSchema {
  if (schemaType === 'manual' || jsonSchemaExample === undefined)
    return parsedJson(inputSchema ?? jsonSchema) as JsonSchema
  return schemaLike(parsedJson(jsonSchemaExample))
}

/** The answer is `{output}`, as with a parser of n8n. */
const inOutput = (schema: JsonSchema): Fields => ({
  schema: { type: 'object', properties: { output: schema }, required: ['output'] },
})

function parserOf(node: Pick<Translating, 'parts'>): JsonSchema | null {
  const [parser] = partsOf(node, 'ai_outputParser')
  if (!parser) return null
  if (parser.type === 'outputParserAutofixing') {
    // Answers that do not fit are always asked for again.
    partsOf(parser, 'ai_languageModel')
    return parserOf(parser)
  }
  if (parser.type !== 'outputParserStructured') throw new NotExact(`the parser ${parser.type} has no equivalent`)
  return schemaIn({ schemaType: parser.parameters.schemaType, ...parser.parameters })
}

/** What a prompt says about tools that hearthd's agents have under another name. */
const toolTexts: Readonly<Record<string, (parameters: Fields, name: string) => string>> = {
  toolCalculator: () => 'Use run_code to calculate.',
  toolThink: () => 'Think step by step before you answer.',
  toolWikipedia: () => 'Use web_fetch to look things up at Wikipedia.',
  toolCode: ({ name, description, jsCode }, own) =>
    `Use run_code for ${String(name ?? own)}: ${String(description ?? '')}\n\`\`\`js\n${String(jsCode ?? '')}\n\`\`\``,
  toolHttpRequest: ({ toolDescription, method = 'GET', url, jsonBody }, own) =>
    `Use http_request for ${own}: ${String(toolDescription ?? '')}\n${String(method)} ${String(url ?? '')}` +
    (jsonBody === undefined ? '' : `\nBody: ${String(jsonBody)}`),
  toolWorkflow: ({ name, description }, own) => `Use the workflow ${String(name ?? own)}: ${String(description ?? '')}`,
}

/** A vector store that an agent looks into. */
const storeText = ({ name, toolName, description, toolDescription }: Fields, own: string): string =>
  `Use memory_search for ${String(toolName ?? name ?? own)}: ${String(toolDescription ?? description ?? '')}`

/** Its embeddings, model and reranker are those of memory. */
export function takeStore({ report }: Pick<Translating, 'report'>, part: Part): void {
  report('tools', `looks into the memory of hearthd; what the service holds is not copied: ${part.name}`)
  const takeAll = ({ parts }: Pick<Part, 'parts'>) => {
    for (const one of parts) {
      one.use()
      takeAll(one)
    }
  }
  takeAll(part)
}

/** Texts for the prompt about the tools of a node. Those without an equivalent stay as placeholders. */
function toolsOf(node: Translating): string[] {
  return node.parts
    .filter(({ kind }) => kind === 'ai_tool')
    .flatMap((part) => {
      const isStore = part.type === 'toolVectorStore' || part.parameters.mode === 'retrieve-as-tool'
      const text = isStore ? storeText : ownValue(toolTexts, part.type)
      if (isStore) takeStore(node, part)
      if (!text) {
        node.report('tools', `has no equivalent and is not used: ${part.name} (${part.type})`)
        return []
      }
      part.use()
      if (part.type === 'toolWorkflow')
        node.report('tools', `is a workflow of n8n: import it, and let agents use it as a tool: ${part.name}`)
      else if (part.has_credential) node.report('tools', `has a credential, which is not sent: ${part.name}`)
      return [text(part.parameters, part.name).replace(/^=|(?<=\s)=(?=https?:)/g, '')]
    })
}

const chatInput = '={{ $json.chatInput }}'

/** What a person is asked to say, by version. */
export const textOf = ({ promptType = 'auto', text, prompt }: Fields, isOld = false): unknown =>
  promptType === 'define' || isOld || (text ?? prompt) !== undefined ? (text ?? prompt ?? chatInput) : chatInput

/** What the runs have in common whose conversation an agent remembers; empty without a memory. */
function sessionOf(node: Translating): unknown {
  const [memory, ...more] = partsOf(node, 'ai_memory')
  if (!memory) return ''
  for (const part of more) node.report('memory', `is not kept: ${part.name}`)
  const { sessionIdType, sessionKey = '={{ $json.sessionId }}' } = memory.parameters
  node.report('memory', `keeps the whole conversation, of this node only: ${memory.name}`)
  return translated(sessionIdType === 'fromInput' ? '={{ $json.sessionId }}' : sessionKey)
}

function agent(node: Translating): Translated {
  const { parameters } = node
  const options = (parameters.options ?? {}) as Fields
  const kind = parameters.agent ?? (node.version < 1.6 ? 'conversationalAgent' : 'toolsAgent')
  if (kind === 'sqlAgent') throw new NotExact('an agent for a database has no equivalent')
  const session = sessionOf(node)
  const schema = parserOf(node)
  const hasTools = node.parts.some((part) => part.kind === 'ai_tool')
  const tools = toolsOf(node)
  const model = modelOf(node)
  skipped(node, 'options', options, ['systemMessage', 'enableStreaming'])
  const stream = options.enableStreaming === false ? { stream: false } : {}
  const answer = schema ? inOutput(schema) : { text_field: 'output' }
  const text = textOf(parameters)
  if (!hasTools && session === '')
    return each('llm', {
      prompt: joined([text]),
      system: joined([options.systemMessage]),
      ...model,
      ...answer,
      ...stream,
    })
  node.report('agent_id', 'uses the tools of the agent that is chosen here: the default one')
  return each('agent', {
    prompt: joined([options.systemMessage, ...tools, text]),
    ...(session === '' ? {} : { session }),
    ...model,
    ...answer,
    ...stream,
  })
}

function chain(node: Translating): Translated {
  const { parameters } = node
  const messages = listOf(parameters.messages)
  const of = (types: readonly unknown[]) =>
    messages.filter(({ type = 'SystemMessagePromptTemplate' }) => types.includes(type)).map(({ message }) => message)
  for (const { messageType } of messages)
    if (messageType === 'imageUrl' || messageType === 'imageBinary') throw new NotExact('images have no equivalent')
  reportAnswers(node, of(['AIMessagePromptTemplate']))
  const schema = parserOf(node)
  return each('llm', {
    prompt: joined([
      ...of(['HumanMessagePromptTemplate', 'AIMessagePromptTemplate']),
      textOf(parameters, node.version < 1.4),
    ]),
    system: joined(of(['SystemMessagePromptTemplate'])),
    ...modelOf(node),
    ...(schema ? inOutput(schema) : {}),
  })
}

function reportAnswers(node: Translating, answers: readonly unknown[]): void {
  if (answers.length > 0) node.report('messages', 'has answers of the model, which are part of the prompt', answers)
}

function informationExtractor(node: Translating): Translated {
  const { text = '', attributes, options, schemaType = 'fromAttributes' } = node.parameters
  const { systemPromptTemplate } = (options ?? {}) as Fields
  const list = listOf(attributes)
  if (schemaType === 'fromAttributes' && list.some(({ name }) => isExpression(name)))
    throw new NotExact('names of attributes from expressions have no equivalent')
  const fields = list.map(({ name, type = 'string', description }) => [
    String(name),
    { ...(type === 'date' ? { type: 'string', format: 'date' } : { type }), description: String(description ?? '') },
  ])
  const required = list.flatMap(({ name, required }) => (required === true ? [String(name)] : []))
  const schema =
    schemaType === 'fromAttributes'
      ? { type: 'object', properties: Object.fromEntries(fields), required }
      : schemaIn(node.parameters)
  const system = systemPromptTemplate ?? 'Extract only what the text says. Leave out what it does not say.'
  return each('llm', { prompt: joined([text]), system: joined([system]), ...modelOf(node), ...inOutput(schema) })
}

function chainSummarization(node: Translating): Translated {
  const { operationMode = 'nodeInputJson', options, type } = node.parameters
  if (operationMode !== 'nodeInputJson' || type !== undefined || node.parts.some(({ kind }) => kind === 'ai_document'))
    throw new NotExact('summaries of documents have no equivalent')
  skipped(node, 'options', options)
  const params = {
    prompt: joined(['Write a concise summary of the following:', '={{ JSON.stringify($json) }}']),
    text_field: node.version < 2.1 ? 'response.text' : 'output.text',
  }
  return each('llm', { ...params, ...modelOf(node) })
}

function textClassifier(node: Translating): Translated {
  const { inputText = '', categories, options } = node.parameters
  const { multiClass, fallback, ...others } = (options ?? {}) as Fields
  if (multiClass === true) throw new NotExact('several categories of one text have no equivalent')
  skipped(node, 'options', others, ['systemPromptTemplate', 'enableAutoFixing'])
  const cases = listOf(categories).map(({ category, description }) => ({
    name: translated(category),
    description: translated(description ?? ''),
  }))
  const params = { text: joined([inputText]), ...systemOf(others), cases, ...modelOf(node) }
  const outputs = [...cases.keys()].map((index) => `case:${index}`)
  return {
    type: 'classify',
    params,
    outputs: fallback === 'other' ? [...outputs, 'main'] : outputs,
    input_mode: 'item',
  }
}

/** The instructions of a classifier. Their category list and format are the node's own. */
const systemOf = ({ systemPromptTemplate = '' }: Fields): Fields => ({
  system: joined([String(systemPromptTemplate).replaceAll('{categories}', 'those below')]),
})

function sentimentAnalysis(node: Translating): Translated {
  const { inputText = '', options } = node.parameters
  const { categories = 'Positive, Neutral, Negative', includeDetailedResults, ...others } = (options ?? {}) as Fields
  if (includeDetailedResults === true) throw new NotExact('strength and confidence have no equivalent')
  if (isExpression(categories)) throw new NotExact('categories from an expression have no equivalent')
  skipped(node, 'options', others, ['systemPromptTemplate', 'enableAutoFixing'])
  const cases = commaSeparated(categories).map((name) => ({ name: translated(name), description: '' }))
  return {
    type: 'classify',
    params: {
      text: joined([inputText]),
      ...systemOf(others),
      ...{ cases, into: 'sentimentAnalysis.category' },
      ...modelOf(node),
    },
    outputs: [...cases.keys()].map((index) => `case:${index}`),
    input_mode: 'item',
  }
}

/** A message to a model of OpenAI, with the newer node or the older one. */
function openAi(node: Translating): Translated {
  const { parameters } = node
  const isNewer = parameters.modelId !== undefined || parameters.messages !== undefined
  const { resource = 'text', operation } = parameters
  const isText = resource === 'text' || resource === 'chat'
  if (!isText || !['message', 'complete', undefined].includes(operation as string | undefined))
    throw new NotExact(`its operation ${String(resource)}.${String(operation)} has no equivalent`)
  for (const part of node.parts)
    if (part.kind === 'ai_tool') throw new NotExact('tools of a model have no equivalent: use an agent')
  const { jsonOutput, simplify = true, simplifyOutput = true, prompt, options } = parameters
  if (simplify === false || simplifyOutput === false) throw new NotExact('the whole answer of the API is not known')
  skipped(node, 'options', options)
  const messages = typeof prompt === 'string' ? [{ content: prompt }] : listOf(parameters.messages ?? prompt)
  const of = (isSystem: boolean) =>
    messages.filter(({ role }) => (role === 'system') === isSystem).map(({ content }) => content)
  reportAnswers(
    node,
    messages.filter(({ role }) => role === 'assistant'),
  )
  const model = memberValue(parameters.modelId ?? parameters.model ?? parameters.chatModel)
  const isChat = isNewer || resource === 'chat'
  return each('llm', {
    prompt: joined(of(false).length > 0 ? of(false) : ['Answer.']),
    system: joined(of(true)),
    ...(typeof model === 'string' && !isExpression(model) ? { model: `openai/${model}` } : {}),
    ...(isChat ? { text_field: 'message.content' } : {}),
    ...(jsonOutput === true ? { schema: { type: 'object' } } : {}),
  })
}

/** A public chat is a webhook; its page is left out. */
function chatTrigger(node: Translating): Translated {
  for (const part of partsOf(node, 'ai_memory')) node.report('memory', `is not kept: ${part.name}`)
  const { public: isPublic, authentication = 'none', options } = node.parameters
  if (isPublic !== true) {
    node.report('public', 'has no page to chat at: run it with {"chatInput": …}, or let agents use it as a tool')
    return { type: 'trigger.manual', params: {} }
  }
  node.report('public', 'has no page to chat at: its address takes {"chatInput": …, "sessionId": …}')
  if (authentication !== 'none')
    node.report('authentication', 'is not supported: whoever knows the address may call it', authentication)
  const { responseMode = 'lastNode' } = (options ?? {}) as Fields
  const response =
    responseMode === 'streaming'
      ? streamed
      : responseMode === 'lastNode'
        ? { response: 'at_end', first_item: true }
        : { response: 'respond_node' }
  return { type: 'trigger.webhook', params: { output: 'body', ...response, allowed_origins: originsOf(node) } }
}

/** The nodes for models and agents. The ones that belong to them, such as models, tools and parsers, are part of theirs. */
export const langchainNodes: Readonly<Record<string, Translate>> = {
  ...{ agent, chainLlm: chain, informationExtractor, chainSummarization, textClassifier, sentimentAnalysis, openAi },
  ...{ chatTrigger, manualChatTrigger: chatTrigger },
}
