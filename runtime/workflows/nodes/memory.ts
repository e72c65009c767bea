import { z } from 'zod'
import { cutPoint } from '../../cut-point.ts'
import { addEpisode, NewEpisode, searchEpisodes } from '../../memory/index.ts'
import { isFile } from '../file-value.ts'
import { type NodeScope, nodeType, permanentError } from '../node-type.ts'
import { fileText } from './extract.ts'

/** Characters of one episode. */
const maxPiece = 30_000
/** Pieces of one text. */
const maxPieces = 5_000

const Params = z.object({
  action: z.enum(['search', 'save']).default('search'),
  text: z.string().trim().max(10_000_000).default('').meta({ description: 'What to look for, or what to remember' }),
  file: z.unknown().optional().meta({ description: 'To save: a file, such as a PDF, whose text is remembered' }),
  limit: z.int().min(1).max(50).default(5),
  topics: z
    .array(z.string().max(100))
    .max(20)
    .default([])
    .meta({ description: 'What is saved has these topics; a search finds what has one of them' }),
  piece_size: z.int().min(0).max(maxPiece).default(0).meta({
    title: 'Size of a piece',
    description: 'To save a long text in pieces of at most so many characters. 0: as a whole',
    unit: 'characters',
  }),
  piece_overlap: z.int().min(0).max(10_000).default(0).meta({
    title: 'Overlap',
    description: 'So much of a piece is repeated in the next one, at most half of it',
    unit: 'characters',
  }),
  as_items: z.boolean().default(false).meta({
    description: 'A search returns an item {document: {pageContent, metadata}, score} for each result',
  }),
})
type Params = z.output<typeof Params>

export const memory = nodeType<Params>({
  type: 'memory',
  title: 'Memory',
  description:
    'Searches memory, or remembers a text or file. The output of a search is {results}; that of saving is {id}, or {ids} of the pieces.',
  category: 'action',
  params: Params,
  risk: 'low',
  side_effects: true,
  effect: ({ action }) => action === 'save',
  run: async (params, scope) => ({ output: await (params.action === 'save' ? save : search)(params, scope) }),
})

async function save({ text, file, topics, piece_size, piece_overlap }: Params, scope: NodeScope): Promise<unknown> {
  const whole = file === undefined || file === null || file === '' ? text : await textOf(file, scope)
  if (whole.trim() === '') throw permanentError('invalid_params', 'There is no text to remember')
  const pieces = piece_size === 0 ? [whole] : piecesOf(whole, piece_size, piece_overlap)
  if (pieces.length > maxPieces)
    throw permanentError('too_large', `The text has more than ${maxPieces} pieces: choose a larger size of a piece`)
  const ids: string[] = []
  for (const content of pieces) {
    const note = NewEpisode.safeParse({ content, topics })
    if (!note.success) throw permanentError('invalid_params', 'The text cannot be remembered: save it in pieces')
    scope.context.signal.throwIfAborted()
    ids.push((await addEpisode(scope.context, { ...note.data, source: 'workflow', trust: 'external' })).id)
  }
  return piece_size === 0 ? { id: ids[0] } : { ids }
}

function textOf(file: unknown, scope: NodeScope): Promise<string> {
  if (!isFile(file)) throw permanentError('invalid_params', 'file must be a file')
  return fileText(file, scope)
}

/** A text in pieces of at most `size` characters; beyond the most pieces it is not cut further. */
function piecesOf(text: string, size: number, overlap: number): string[] {
  const pieces: string[] = []
  const repeated = Math.min(overlap, Math.floor(size / 2))
  for (let at = 0; at < text.length && pieces.length <= maxPieces; ) {
    const rest = text.slice(at)
    const end = rest.length <= size ? rest.length : cutPoint(rest, size)
    const piece = rest.slice(0, end).trim()
    if (piece !== '') pieces.push(piece)
    if (end === rest.length) break
    // The next piece begins with a word.
    const word = rest.slice(Math.max(0, end - repeated), end).search(/\s\S/)
    at += repeated === 0 || word < 0 ? end : Math.max(1, end - repeated + word + 1)
  }
  return pieces
}

async function search({ text, limit, topics, as_items }: Params, { context }: NodeScope): Promise<unknown> {
  if (text === '') throw permanentError('invalid_params', 'Text is required')
  const filter = topics.length === 0 ? {} : { topics }
  const { results } = await searchEpisodes(context, { q: text, mode: 'hybrid', filter, limit, offset: 0 })
  if (as_items)
    return results.map(({ episode: { id, content, created_at }, score }) => ({
      document: { pageContent: content, metadata: { id, created_at } },
      score,
    }))
  return {
    results: results.map(({ episode: { id, content, created_at }, score }) => ({ id, content, score, created_at })),
  }
}
