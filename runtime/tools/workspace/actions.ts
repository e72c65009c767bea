import type { FileEntry } from '../../ports/files.ts'
import { clipped, cut } from '../text.ts'
import { ToolError } from '../tool.ts'
import { mostFileBytes, type Workspace } from './workspace.ts'

export type FileAction = 'list' | 'read' | 'write' | 'edit' | 'search'

export interface FileInput {
  action: FileAction
  path?: string | undefined
  content?: string | undefined
  find?: string | undefined
  replace?: string | undefined
  query?: string | undefined
}

const mostEntries = 500
/** Characters of a file that one reading answers. */
const mostCharacters = 100_000
const mostMatches = 100
const mostFilesSearched = 2_000

export const actions: Record<FileAction, (workspace: Workspace, input: FileInput) => Promise<unknown>> = {
  async list(workspace, { path }) {
    const entries = await workspace.list(folderOf(path))
    return { entries: entries.slice(0, mostEntries), ...cutMark(entries, mostEntries) }
  },

  async read(workspace, input) {
    const path = need(input, 'path')
    const { text, size_bytes } = await workspace.readText(path, mostFileBytes)
    const content = cut(text, mostCharacters)
    return { path, content: content.text, truncated: content.truncated || size_bytes > mostFileBytes }
  },

  async write(workspace, input) {
    const path = need(input, 'path')
    if (input.content === undefined) throw new ToolError('write needs `content`: the whole new text')
    return { path, size_bytes: await workspace.writeText(path, input.content) }
  },

  async edit(workspace, input) {
    const path = need(input, 'path')
    const find = need(input, 'find')
    const { text, size_bytes } = await workspace.readText(path, mostFileBytes)
    if (size_bytes > mostFileBytes)
      throw new ToolError(`${path} is larger than ${mostFileBytes} bytes and cannot be edited`)
    const pieces = text.split(find)
    if (pieces.length === 1)
      throw new ToolError(`${path} does not hold that text; read it and copy the text exactly`)
    await workspace.writeText(path, pieces.join(input.replace ?? ''))
    return { path, replacements: pieces.length - 1 }
  },

  async search(workspace, input) {
    const query = need(input, 'query').toLowerCase()
    const matches: Match[] = []
    for (const entry of await filesBelow(workspace, folderOf(input.path))) {
      matches.push(...(await matchesIn(workspace, entry, query)))
      if (matches.length > mostMatches) break
    }
    return { matches: matches.slice(0, mostMatches), ...cutMark(matches, mostMatches) }
  },
}

/** A list that was cut says so; a whole one says nothing. */
const cutMark = (items: readonly unknown[], most: number) => (items.length > most ? { truncated: true } : {})

interface Match {
  path: string
  line: number
  text: string
}

/** `.` and `/` are what models call the workspace itself. */
function folderOf(path = ''): string {
  const folder = path.replace(/^(\.\/)+|\/+$/g, '')
  return folder === '.' ? '' : folder
}

function need(input: FileInput, field: 'path' | 'find' | 'query'): string {
  const value = input[field]
  if (!value) throw new ToolError(`${input.action} needs \`${field}\``)
  return field === 'path' ? value.replace(/^(\.\/)+/, '') : value
}

async function filesBelow(workspace: Workspace, folder: string): Promise<FileEntry[]> {
  const found: FileEntry[] = []
  const folders = [folder]
  for (
    let next = folders.shift();
    next !== undefined && found.length < mostFilesSearched;
    next = folders.shift()
  ) {
    const entries = await workspace.list(next)
    found.push(...entries.filter((entry) => entry.kind === 'file'))
    folders.push(...entries.filter((entry) => entry.kind === 'folder').map((entry) => entry.path))
  }
  return found.slice(0, mostFilesSearched)
}

/** Files that are no text, or too long, hold nothing to be found. */
async function matchesIn(
  workspace: Workspace,
  { path, size_bytes }: FileEntry,
  query: string,
): Promise<Match[]> {
  if (size_bytes > mostFileBytes) return []
  const text = await textOrNone(workspace, path)
  const lines = text.split(/\r?\n/).map((line, index) => ({ path, line: index + 1, text: line }))
  return lines
    .filter((match) => match.text.toLowerCase().includes(query))
    .map((match) => ({ ...match, text: clipped(match.text, 300) }))
}

async function textOrNone(workspace: Workspace, path: string): Promise<string> {
  try {
    return (await workspace.readText(path, mostFileBytes)).text
  } catch (thrown) {
    if (thrown instanceof ToolError) return ''
    throw thrown
  }
}
