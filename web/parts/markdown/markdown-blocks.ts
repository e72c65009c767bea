const fence = /^ {0,3}(`{3,}|~{3,})/
const listItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/
const indented = /^(?: {2,}|\t)/
/** `[name]: target` and footnotes connect distant blocks. */
const definition = /^ {0,3}\[[^\]\n]+\]:/m

/**
 * Splits Markdown at blank lines where the pieces render the same separately, so that only the last piece of
 * a growing text is parsed again. Fenced code, lists with gaps and indented continuations stay whole.
 */
export function markdownBlocks(text: string): string[] {
  if (definition.test(text)) return [text]
  const blocks: string[][] = []
  let open: string | null = null
  let gap = true

  for (const line of text.split('\n')) {
    const current = blocks.at(-1)
    const mark: string | undefined = fence.exec(line)?.[1]
    const starts = open === null && gap && line.trim() !== '' && !continues(current, line)
    if (starts || !current) blocks.push([line])
    else current.push(line)

    if (open === null) open = mark ?? null
    else if (mark && mark[0] === open[0] && mark.length >= open.length && line.trim() === mark) open = null
    gap = open === null && line.trim() === ''
  }
  return blocks.map((lines) => lines.join('\n'))
}

function continues(current: string[] | undefined, line: string): boolean {
  const first = current?.[0]
  if (first === undefined || first.trim() === '') return first !== undefined
  return indented.test(line) || (listItem.test(first) && listItem.test(line))
}
