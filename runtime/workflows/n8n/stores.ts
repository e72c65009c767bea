import { each, NotExact, skipped } from './equivalent.ts'
import { fileNamed } from './http.ts'
import { joined, memberValue, modelOf, partsOf, takeStore, textOf } from './langchain.ts'
import { translated } from './texts.ts'
import type { Fields, Part, Translate, Translated, Translating } from './translating.ts'

/** Texts and their vectors are the memory of hearthd, under the name of the store as a topic. */
const storeNames = [
  'memoryKey',
  'pineconeIndex',
  'qdrantCollection',
  'tableName',
  'milvusCollection',
  'weaviateCollection',
]

function topicOf(parameters: Fields): unknown {
  const name = storeNames
    .map((field) => memberValue(parameters[field]))
    .find((one) => typeof one === 'string' && one !== '')
  return name === undefined ? 'documents' : translated(name)
}

/** A vector store that stores or finds documents; what else it may do belongs to an agent or chain. */
function vectorStore(node: Translating): Translated {
  const { parameters, report } = node
  const { mode = /Insert$/.test(node.name) ? 'insert' : /Load$/.test(node.name) ? 'load' : 'retrieve' } = parameters
  if (mode !== 'insert' && mode !== 'load')
    throw new NotExact(`its mode ${String(mode)} has no equivalent outside of an agent`)
  for (const { name } of partsOf(node, 'ai_embedding'))
    report('embedding', `is that of memory, as the settings have it: ${name}`)
  const topics = [topicOf(parameters)]
  report(
    'store',
    'is the memory of hearthd, with the name of the store as a topic; what the service holds is not copied',
  )
  if (mode === 'load') {
    const { prompt = '', topK = 4, options } = parameters
    skipped(node, 'options', options)
    return each('memory', {
      action: 'search',
      text: translated(prompt),
      limit: translated(topK),
      topics,
      as_items: true,
    })
  }
  const [loader] = partsOf(node, 'ai_document')
  if (loader && loader.type !== 'documentDefaultDataLoader')
    throw new NotExact(`the loader ${loader.type} has no equivalent`)
  report('', 'outputs the ids of what was stored; in n8n, the documents')
  return each('memory', { action: 'save', topics, ...documentOf(node, loader), ...piecesOf(loader) })
}

/** What a loader reads: a file of the item, a text, or the item as JSON. */
function documentOf({ report }: Translating, loader: Part | undefined): Fields {
  const {
    dataType = 'json',
    binaryMode = 'allInputData',
    binaryDataKey = 'data',
    jsonMode = 'allInputData',
    jsonData,
    options,
  } = loader?.parameters ?? {}
  if ((options as Fields | undefined)?.metadata !== undefined) report('metadata', 'is not stored', options)
  if (dataType === 'binary') {
    if (binaryMode === 'allInputData') report('file', 'is the first file of the item; in n8n, all of them')
    return { file: binaryMode === 'allInputData' ? '=js:{{ Object.values($binary)[0] }}' : fileNamed(binaryDataKey) }
  }
  return { text: jsonMode === 'expressionData' ? joined([jsonData]) : '=js:{{ JSON.stringify($json) }}' }
}

/** How the splitter of a loader cuts; without one, as n8n does. A token is about four characters. */
function piecesOf(loader: Part | undefined): Fields {
  const [splitter] = loader ? partsOf(loader, 'ai_textSplitter') : []
  const { chunkSize = 1_000, chunkOverlap = splitter ? 0 : 200 } = splitter?.parameters ?? {}
  const unit = splitter?.type === 'textSplitterTokenSplitter' ? 4 : 1
  const size = (value: unknown, max: number) => Math.min(max, Math.max(0, (Number(value) || 0) * unit))
  return { piece_size: size(chunkSize, 30_000) || 1_000, piece_overlap: size(chunkOverlap, 10_000) }
}

/** An agent that looks into memory before it answers. */
function chainRetrievalQa(node: Translating): Translated {
  const { parameters, version } = node
  for (const retriever of partsOf(node, 'ai_retriever')) takeStore(node, retriever)
  skipped(node, 'options', parameters.options)
  const text = version < 1.2 ? (parameters.query ?? '={{ $json.input }}') : textOf(parameters)
  return each('agent', {
    prompt: joined(['Use memory_search, and answer from what it finds alone. Say so if it finds no answer.', text]),
    ...modelOf(node),
    text_field: version < 1.5 ? 'response.text' : 'response',
  })
}

const stores = ['InMemory', 'Pinecone', 'Qdrant', 'Supabase', 'PGVector', 'Milvus', 'Weaviate']
/** Vector stores, and the chain that answers from one. */
export const storeNodes: Readonly<Record<string, Translate>> = {
  chainRetrievalQa,
  ...Object.fromEntries(
    stores.flatMap((name) => ['', 'Insert', 'Load'].map((mode) => [`vectorStore${name}${mode}`, vectorStore])),
  ),
}
