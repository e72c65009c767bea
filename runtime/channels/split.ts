import { cutPoint } from '../cut-point.ts'

/**
 * Splits Markdown into pieces of at most `limit` characters: between paragraphs if possible, else between lines,
 * sentences or words. A code block that is split is closed and reopened. Pure.
 */
export function splitMarkdown(text: string, limit: number): string[] {
  const pieces: string[] = []
  let rest = text.trim()
  let fence = ''
  while (rest !== '') {
    const prefix = fence === '' ? '' : `${fence}\n`
    if (prefix.length + rest.length <= limit) {
      pieces.push(prefix + rest)
      break
    }
    // Leave room to close a code block that is open at the cut.
    const room = Math.max(1, limit - prefix.length - fenceRoom)
    const at = cutPoint(rest, room)
    const part = rest.slice(0, at)
    const open = openFence(fence, part)
    pieces.push(prefix + part.trimEnd() + (open === '' ? '' : `\n${closingOf(open)}`))
    rest = open === '' ? rest.slice(at).trimStart() : rest.slice(at).replace(/^\n/, '')
    fence = open
  }
  return pieces
}

/** Characters of a line that closes a code block, with its line break. */
const fenceRoom = 12

/** The line that opened the code block in which `part` ends; empty if it ends outside one. */
function openFence(before: string, part: string): string {
  let open = before
  for (const line of part.split('\n')) {
    const fence = /^ {0,3}(`{3,10}|~{3,10})/.exec(line)?.[1]
    if (fence === undefined) continue
    if (open === '') open = line.trim().slice(0, maxFence)
    else if (line.trim() === closingOf(open)) open = ''
  }
  return open
}

/** Characters of an opening fence that are repeated. */
const maxFence = 40

const closingOf = (open: string): string => /^(`+|~+)/.exec(open)?.[0] ?? '```'
