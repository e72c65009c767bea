import type { CallOutcome } from '../chat/run-report.ts'

/** What an attempt leaves, as a check without a model sees it. */
export interface Result {
  /** The title, description and criteria of the task. */
  request: string
  report: string
  /** Every call, in order. */
  calls: readonly CallOutcome[]
  /** Sizes in bytes of the files in the project's folder, by path. */
  files: ReadonlyMap<string, number>
}

/**
 * Why an attempt cannot count as completed, whatever its agent says; null if nothing speaks against it. A text is a result
 * without any call; a file, or another change, is none unless a call made it. Pure.
 */
export function missingIn({ request, report, calls, files }: Result): string | null {
  const changes = calls.filter((call) => call.changes)
  const failed = changes.findLast((call) => call.is_error)
  const isChanged = changes.some((call) => !call.is_error)
  if (failed && !isChanged)
    return `Nothing was changed, because this failed: ${failed.summary}: ${failed.result}`
  if (calls.every((call) => call.is_error) && emptyReport.test(report.trim()))
    return 'Nothing was done: no call succeeded, and the report contains no result'
  const asked = filesNamed(request, writing)
  for (const path of new Set([...asked, ...filesNamed(report, written), ...filesNamed(report, isWritten)])) {
    if (!isChanged) return `${path} was not written: no call has changed anything`
    const size = sizeOf(files, path)
    if (size === undefined) return `The file ${path} does not exist`
    if (size === 0) return `The file ${path} is empty`
  }
  return null
}

/** A report that says no more than that the work is done. */
const emptyReport =
  /^\W*(?:(?:i(?:'ve| have)|it|this|that|(?:the|this|your) task|everything|all)\b\s*)?(?:is|was|'s|has been|have been|are)?\s*(?:now\s+|all\s+|successfully\s+)?(?:done|completed?|finished|ready|ok(?:ay)?|success(?:ful)?)?(?:\s+(?:it|this|the task|everything|successfully))?\W*$/i

/** A file with a usual ending: `example.com` is none. */
const file =
  '[\\w-][\\w./-]*\\.(?:md|txt|csv|tsv|json|jsonl|html?|css|[cm]?[jt]sx?|py|rb|go|rs|java|sh|ya?ml|toml|ini|xml|svg|sql|log|pdf|docx?|xlsx?|pptx?|png|jpe?g|ics)'
/** What stands between a verb and the file that it makes. */
const between =
  '(?:(?!\\b(?:from|of|using|based on|in reply to|reads?|delete|remove|not)\\b)[^.;:!?\\n]){0,80}?'

const writing = new RegExp(
  `\\b(?:writes?|creates?|saves?|produces?|generates?|stores?|exports?|drafts?)\\b${between}[\`'"“*]*(${file})\\b`,
  'gi',
)
const written = new RegExp(
  `\\b(?:wrote|written|created|saved|produced|generated|stored|exported|drafted|updated|edited|added)\\b${between}[\`'"“*]*(${file})\\b`,
  'gi',
)

/** The same the other way round: "notes.md has been written". */
const isWritten = new RegExp(
  `(${file})[\`'"”*]*\\s+(?:is|was|has been|have been)\\s+(?:now |successfully )?(?:written|created|saved|updated|generated)`,
  'gi',
)

const filesNamed = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, path = '']) => path.replace(/^\.?\/+/, ''))

/** A file may be below a folder that the text does not name. */
function sizeOf(files: ReadonlyMap<string, number>, path: string): number | undefined {
  const matching = [...files].filter(
    ([name]) => name === path || name.endsWith(`/${path}`) || path.endsWith(`/${name}`),
  )
  return matching.length === 0 ? undefined : Math.max(...matching.map(([, size]) => size))
}
