import type { LanguageFn } from 'highlight.js'
import { common, createLowlight } from 'lowlight'

/** The grammars of `common` are in this chunk; these load when a text first needs one. */
const others: Record<string, () => Promise<{ default: LanguageFn }>> = {
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  nginx: () => import('highlight.js/lib/languages/nginx'),
  powershell: () => import('highlight.js/lib/languages/powershell'),
}

const aliases: Record<string, string> = { docker: 'dockerfile', ps1: 'powershell' }

const lowlight = createLowlight(common)

/** A part of the code: text, or parts with a class. */
export type Piece = string | { className: string; pieces: Piece[] }

/** Characters. Longer code stays plain, because coloring it would freeze the page. */
const longest = 50_000

/** The code in pieces with the classes of highlight.js, or null if it has no grammar for the language. */
export async function highlight(code: string, language: string): Promise<Piece[] | null> {
  const given = language.toLowerCase()
  const name = (Object.hasOwn(aliases, given) ? aliases[given] : undefined) ?? given
  if (code.length > longest) return null
  const load = Object.hasOwn(others, name) ? others[name] : undefined
  if (load && !lowlight.registered(name)) lowlight.register(name, (await load()).default)
  return lowlight.registered(name) ? lowlight.highlight(name, code).children.map(toPiece) : null
}

type Node = ReturnType<typeof lowlight.highlight>['children'][number]

function toPiece(node: Node): Piece {
  if (node.type === 'text') return node.value
  if (node.type !== 'element') return ''
  const names = node.properties.className
  return { className: Array.isArray(names) ? names.join(' ') : '', pieces: node.children.map(toPiece) }
}
