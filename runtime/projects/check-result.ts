import type { CallOutcome } from '../chat/index.ts'

/** What an attempt leaves, as a check without a model sees it. */
export interface Result {
  /** The title, description and criteria of the task. */
  request: string
  /** Paths of the files that the plan says the task writes. */
  planned?: readonly string[]
  report: string
  /** Every call, in order. */
  calls: readonly CallOutcome[]
  /** Sizes in bytes of the files in the project's folder, by path. */
  files: ReadonlyMap<string, number>
}

/**
 * Why an attempt cannot count as completed, regardless of its report; null if it can. A text is a result
 * without any call; a file, or another change, is none unless a call made it. Pure.
 */
export function missingIn({ request, planned = [], report, calls, files }: Result): string | null {
  const changes = calls.filter((call) => call.changes)
  const failed = changes.findLast((call) => call.is_error)
  const isChanged = changes.some((call) => !call.is_error)
  if (failed && !isChanged) return `Nothing was changed, because this failed: ${failed.summary}: ${failed.result}`
  if (!isChanged && isEmptyReport(report, request)) {
    const reason = calls.every((call) => call.is_error) ? 'succeeded' : 'has changed anything'
    return `Nothing was done: no call ${reason}, and the report contains no result`
  }
  const named = [...planned, ...filesNamed(request, requests), ...filesNamed(report, claims), ...filesReported(report)]
  for (const path of new Set(named)) {
    if (!isChanged) return `${path} was not written: no call has changed anything`
    const size = sizeOf(files, path)
    if (size === undefined) return `The file ${path} does not exist`
    if (size === 0) return `The file ${path} is empty`
  }
  return null
}

const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]/u)
    .filter(Boolean)

/** Words that say that the work is done, and those around them that say no more. */
const doneWords = new Set(
  wordsIn('done complete completed finished ready ok okay success successful successfully fulfilled met'),
)
const emptyWords = new Set(
  wordsIn(`i ve have it this that the your task work everything all is was s has been are now fully criteria result results as
    requested required asked instructed to and with for me you`),
)

/** Whether a report says that the work is done, and nothing but that and words of the request. */
function isEmptyReport(report: string, request: string): boolean {
  const said = wordsIn(report)
  const repeated = new Set(wordsIn(request))
  const isDone = said.some((word) => doneWords.has(word))
  return said.every((word) => doneWords.has(word) || emptyWords.has(word) || (isDone && repeated.has(word)))
}

const words = (text: string) => new Set(text.split(' '))

const requests = words(
  'write writes create creates save saves produce produces generate generates store stores export exports draft drafts',
)
const claims = words('wrote written created saved produced generated stored exported drafted updated edited added')
/** After these, a file is not the one that is made. */
const breaks = words('from of using based reply read reads delete remove not')
/** Usual endings of files: `example.com` is none. */
const endings = words(
  `md txt csv tsv json jsonl htm html css js cjs mjs ts cts mts jsx tsx py rb go rs java sh yml yaml toml ini xml svg sql log pdf \
doc docx xls xlsx ppt pptx png jpg jpeg ics`,
)

/** Characters between a verb and the file that it makes, and of a path. */
const maxBetween = 80
const maxPath = 200

/** The files that a text says are made by one of these verbs: "write notes.md". Takes time linear in the text. */
function filesNamed(text: string, verbs: ReadonlySet<string>): string[] {
  const paths: string[] = []
  let room = 0
  for (const token of text.split(/\s/)) {
    const word = bare(token)
    const path = pathOf(word)
    const lower = word.toLowerCase()
    if (path && room > 0) paths.push(path)
    if (verbs.has(lower)) room = maxBetween
    else room = breaks.has(lower) || endsClause(token) ? 0 : room - token.length - 1
  }
  return paths
}

/** The files that a text says have been made, the other way round: "notes.md has been written". */
function filesReported(text: string): string[] {
  const tokens = text.split(/\s/).map(bare).filter(Boolean)
  return tokens.flatMap((token, at) => {
    const path = pathOf(token)
    if (!path) return []
    const after = tokens.slice(at + 1, at + 5).map((word) => word.toLowerCase())
    const [first = '', second] = after
    const isPassive = ['is', 'was'].includes(first)
    const isPerfect = ['has', 'have'].includes(first) && second === 'been'
    const rest = after.slice(isPerfect ? 2 : 1).filter((word) => word !== 'now' && word !== 'successfully')
    return (isPassive || isPerfect) && claims.has(rest[0] ?? '') ? [path] : []
  })
}

const marks = new Set('`\'"“”‘’*()[]<>,.;:!?')

/** A word without the quotation marks and punctuation around it. */
function bare(token: string): string {
  let [start, end] = [0, token.length]
  while (start < end && marks.has(token.charAt(start)) && !token.startsWith('./', start)) start += 1
  while (end > start && marks.has(token.charAt(end - 1))) end -= 1
  return token.slice(start, end)
}

const endsClause = (token: string): boolean => '.;:!?'.includes(token.at(-1) ?? ' ')

function pathOf(word: string): string | null {
  const ending = word.slice(word.lastIndexOf('.') + 1).toLowerCase()
  const isFile = word.length <= maxPath && endings.has(ending) && /^[\w./-]+$/.test(word) && word !== ending
  return isFile ? word.replace(/^\.?\//, '') : null
}

/** A file may be below a folder that the text does not name. */
function sizeOf(files: ReadonlyMap<string, number>, path: string): number | undefined {
  const matching = [...files].filter(
    ([name]) => name === path || name.endsWith(`/${path}`) || path.endsWith(`/${name}`),
  )
  return matching.length === 0 ? undefined : Math.max(...matching.map(([, size]) => size))
}
