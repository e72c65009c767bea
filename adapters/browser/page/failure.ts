import { BrowserFailure } from '../../../runtime/ports/browser.ts'
import type { FailureCode } from '../../../runtime/tabs/schema.ts'
import { errorMessage } from '../../../runtime/thrown.ts'
import type { Identity } from '../page-script/identity.ts'

/** Characters of a message that are read: pages write parts of it. */
const maxRead = 4_000

const covers = 'Close or move what covers it (a banner, a menu), or scroll, and take a new snapshot'

interface Reading {
  pattern: RegExp
  code: FailureCode
  message: string
  hint: string
}

/** The meaning of Playwright's messages, the most specific first. */
const readings: readonly Reading[] = [
  {
    pattern: /intercepts pointer events/i,
    code: 'obscured',
    message: 'Another element covers it',
    hint: covers,
  },
  {
    pattern:
      /not attached|detached|Execution context was destroyed|Cannot find context|has been closed|JSHandle is disposed/i,
    code: 'stale_index',
    message: 'The element is no longer on the page',
    hint: 'Take a new snapshot and use its numbers',
  },
  {
    pattern: /not enabled|is disabled|not editable|readonly/i,
    code: 'not_enabled',
    message: 'The element is disabled or cannot be edited',
    hint: 'Enable it first, for example by filling in a required field',
  },
  {
    pattern: /not visible|outside of the viewport|no visible|not displayed/i,
    code: 'not_visible',
    message: 'The element is hidden',
    hint: 'Open the menu or section that contains it, or scroll to it, and take a new snapshot',
  },
  {
    pattern: /Download is starting/i,
    code: 'navigation_failed',
    message: 'The address is a file, which is being downloaded; the page stays open',
    hint: 'See the browser’s downloads',
  },
  {
    pattern: /net::ERR_|NS_ERROR|Navigation failed|interrupted by another navigation|invalid url/i,
    code: 'navigation_failed',
    message: 'The page could not be opened',
    hint: 'Check the address, and that this machine can reach the site',
  },
  {
    pattern: /did not find some options|no option/i,
    code: 'element_not_found',
    message: 'The list has no such option',
    hint: 'Use a value or a label that the snapshot lists for this element',
  },
  {
    pattern: /Unexpected token|not a valid selector|Malformed|Unknown engine|Error while parsing selector/i,
    code: 'element_not_found',
    message: 'The selector is not valid',
    hint: 'Use CSS, text=… or role=…, or the number of an element in the snapshot',
  },
]

/** Our own failures unchanged, Playwright's with a code and a hint. */
export function toFailure(thrown: unknown): BrowserFailure {
  if (thrown instanceof BrowserFailure) return thrown
  const text = errorMessage(thrown)
  const reading = readings.find(({ pattern }) => pattern.test(text))
  if (reading) return new BrowserFailure(reading.code, withDetail(reading, text), reading.hint)
  const hint = 'Allow more time with timeout_ms, or take a new snapshot: the page may have changed'
  return new BrowserFailure('timeout', firstLine(text), hint)
}

function withDetail({ code, message }: Reading, text: string): string {
  const network = /net::(ERR_\w+)/.exec(text)?.[1]
  const cover = /<(\w[^<>]{0,120})>[^<]*(?:<\/\w+>)?\s*(?:from .+ )?intercepts/.exec(text.slice(0, maxRead))?.[1]
  if (network) return `${message} (${network})`
  return code === 'obscured' && cover ? `${message}: <${cover}>` : message
}

const firstLine = (text: string): string => (text.split('\n')[0] ?? '').slice(0, 300)

export const staleNumber = (message: string): BrowserFailure =>
  new BrowserFailure('stale_index', message, 'Take a new snapshot and use its numbers')

/** For an element that a page has changed into another before it could be used. */
export const changedElement = (now: Identity): BrowserFailure =>
  staleNumber(`The element has become ${describeIdentity(now)}`)

export const describeIdentity = ({ label, kind, row }: Identity): string =>
  `${JSON.stringify(label.slice(0, 60))} (${kind}${row ? `, in ${JSON.stringify(row)}` : ''})`

export const notFound = (what: string): BrowserFailure =>
  new BrowserFailure(
    'element_not_found',
    `Nothing on the page matches ${what}`,
    'Take a snapshot to see the page; wait with wait_for_selector for what loads late',
  )

export const covered = (): BrowserFailure => new BrowserFailure('obscured', 'Another element covers it', covers)
