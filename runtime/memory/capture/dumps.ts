/** A block of code up to this many lines may be what the talk is about. */
const keptCode = 12
/** So many lines in a row that no person has written are a dump. */
const fewestLines = 8

const fence = /(```+|~~~+)[^\n]*\n([\s\S]*?)(?:\n\1[^\n]*|$)/g

/** JSON, frames of a stack, lines of a log, rows of a table, bare data. */
const machine = [
  /^\s*[{}[\]"],?/,
  /^\s*"[^"]*"\s*:/,
  /^\s*at\s.+[(:]/,
  /^\s*File ".+", line \d+/,
  /^\W*\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/,
  /^\s*(\||\+[-+=]{3})/,
  /^\s*<\/?[a-z][^>]*>/i,
  /^\S{60,}$/,
  /^([^,\s]+[,;\t]){3,}/,
]

/** A text without what a program has put out: long code, logs, tables, JSON. What was left out is counted. */
export function withoutDumps(text: string): string {
  const talk = text.replace(fence, (block, _, code: string) => {
    const lines = code.split('\n').length
    return lines > keptCode ? `[${lines} lines of code]` : block
  })
  return withoutRuns(talk.split('\n')).join('\n')
}

function withoutRuns(lines: readonly string[]): string[] {
  const kept: string[] = []
  let run: string[] = []
  const flush = () => {
    if (run.length >= fewestLines) kept.push(`[${run.length} lines of output]`)
    else kept.push(...run)
    run = []
  }
  for (const line of lines) {
    if (isMachine(line)) run.push(line)
    else {
      flush()
      kept.push(line)
    }
  }
  flush()
  return kept
}

const isMachine = (line: string) => machine.some((pattern) => pattern.test(line)) || isMostlySigns(line)

function isMostlySigns(line: string): boolean {
  const text = line.trim()
  if (text.length < 16) return false
  const letters = text.match(/[\p{L}\s]/gu)?.length ?? 0
  return letters / text.length < 0.55
}
