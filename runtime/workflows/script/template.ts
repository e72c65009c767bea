import { LRUCache } from 'lru-cache'
import { errorMessage } from '../../thrown.ts'
import { namesIn, rewritten } from './rewrite.ts'

/** Marks a text whose `{{ expressions }}` are JavaScript, in the language of n8n. */
const mark = '=js:'

export const isScript = (text: string): boolean => text.startsWith(mark)

/** A text of n8n, which begins with `=` if it has expressions. */
export const scriptText = (text: string): string => mark + text.slice(1)

/** One whose value is that of an expression. */
export const scriptExpression = (code: string): string => `${mark}{{ ${code.replaceAll('}}', '\\}}')} }}`

/** A text to evaluate, and whether its values stay apart from the text around them. */
export interface ScriptTemplate {
  text: string
  apart: boolean
}

/** What a template has evaluated to. `parts`: its texts, and values at odd positions. */
export type ScriptValue = { value?: unknown } | { parts: unknown[] } | { error: string }

/** A template as the engine takes it. */
export interface ParsedTemplate {
  /** Texts, and code at odd positions. */
  parts: readonly string[]
  /** The texts in its code, among which are the names of nodes. */
  names: ReadonlySet<string>
  /** What is wrong with it. */
  problem: string | null
}

/** By text. One takes a few KB. */
const parsed = new LRUCache<string, ParsedTemplate>({ max: 5_000 })

export function parseTemplate(text: string): ParsedTemplate {
  let template = parsed.get(text)
  if (!template) {
    template = parse(text)
    parsed.set(text, template)
  }
  return template
}

function parse(text: string): ParsedTemplate {
  const names = new Set<string>()
  let problem: string | null = null
  const parts = piecesOf(text.slice(mark.length)).map((piece, index) => {
    if (index % 2 === 0) return piece
    try {
      for (const name of namesIn(piece)) names.add(name)
      return rewritten(piece)
    } catch (thrown) {
      problem ??= errorMessage(thrown)
      return piece
    }
  })
  return { parts, names, problem }
}

/** Texts, and code at odd positions. `\{{` and `\}}` are no marks; the last code needs no end. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = []
  let piece = ''
  let at = 0
  for (const match of text.matchAll(/\\?(\{\{|\}\})/g)) {
    const isCode = pieces.length % 2 === 1
    const [found, brackets] = match
    if (brackets !== (isCode ? '}}' : '{{')) continue
    if (match.index < at) continue
    piece += text.slice(at, match.index)
    at = match.index + found.length
    if (found.startsWith('\\')) piece += isCode ? '}}' : '\\{{'
    else {
      pieces.push(piece)
      piece = ''
    }
  }
  return [...pieces, piece + text.slice(at), ...(pieces.length % 2 === 1 ? [''] : [])]
}

/** What is wrong with a script text; null if it can be evaluated. */
export const scriptProblem = (text: string): string | null => parseTemplate(text).problem
