import type { LanguageFn } from 'highlight.js'
import { createLowlight } from 'lowlight'

type Load = () => Promise<{ default: LanguageFn }>

/** Grammars by the name that is written after the fence; each is fetched when a text first needs it. */
const grammars: Record<string, Load> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  go: () => import('highlight.js/lib/languages/go'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  lua: () => import('highlight.js/lib/languages/lua'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  nginx: () => import('highlight.js/lib/languages/nginx'),
  perl: () => import('highlight.js/lib/languages/perl'),
  php: () => import('highlight.js/lib/languages/php'),
  powershell: () => import('highlight.js/lib/languages/powershell'),
  python: () => import('highlight.js/lib/languages/python'),
  r: () => import('highlight.js/lib/languages/r'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  scss: () => import('highlight.js/lib/languages/scss'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
}

const aliases: Record<string, string> = {
  'c#': 'csharp',
  'c++': 'cpp',
  cc: 'cpp',
  cs: 'csharp',
  docker: 'dockerfile',
  h: 'c',
  htm: 'xml',
  html: 'xml',
  js: 'javascript',
  jsonc: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  make: 'makefile',
  md: 'markdown',
  mjs: 'javascript',
  patch: 'diff',
  pl: 'perl',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  svg: 'xml',
  toml: 'ini',
  ts: 'typescript',
  tsx: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
}

const lowlight = createLowlight()

/** A highlighted piece of code: its class and its content. */
export type Piece = string | { className: string; pieces: Piece[] }

/** Characters. Longer code stays plain, because highlighting it would freeze the page. */
const longest = 50_000

/** The code in pieces with the classes of highlight.js, or null if there is no grammar for it. */
export async function highlight(code: string, language: string): Promise<Piece[] | null> {
  const name = aliases[language.toLowerCase()] ?? language.toLowerCase()
  const load = Object.hasOwn(grammars, name) ? grammars[name] : undefined
  if (!load || code.length > longest) return null
  if (!lowlight.registered(name)) lowlight.register(name, (await load()).default)
  return lowlight.highlight(name, code).children.map(toPiece)
}

type Node = ReturnType<typeof lowlight.highlight>['children'][number]

function toPiece(node: Node): Piece {
  if (node.type === 'text') return node.value
  if (node.type !== 'element') return ''
  const names = node.properties.className
  return { className: Array.isArray(names) ? names.join(' ') : '', pieces: node.children.map(toPiece) }
}
