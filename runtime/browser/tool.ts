import { z } from 'zod'
import { Fault } from '../fault.ts'
import { downloadsRoot, Sniffer } from '../files/index.ts'
import { KeyedLock } from '../keyed-lock.ts'
import type { Browser, Download } from '../ports/browser.ts'
import type { LockedFile } from '../ports/files.ts'
import { processState } from '../process-state.ts'
import { Action, ActionName } from '../tabs/schema.ts'
import { iso } from '../time.ts'
import { absoluteUrl, parseUrl } from '../tools/receive.ts'
import { markTainted } from '../tools/store.ts'
import { clipped, cut } from '../tools/text.ts'
import { ToolError, type ToolScope, tool } from '../tools/tool.ts'
import { rootOf } from '../tools/workspace.ts'
import { conversationHolder } from './holder.ts'
import { withBrowser } from './use.ts'

/** Acts that have an action of their own are left out. */
const Act = ActionName.exclude(['goto', 'go_back'])

const Input = z
  .object({
    action: z.enum(['open', 'read', 'snapshot', 'act', 'screenshot', 'pdf', 'upload', 'download', 'tabs', 'back']),
    url: Action.shape.url.describe('For open and read'),
    act: Act.optional().describe('For act: what to do'),
    to_index: z.int().min(0).optional().describe('For drag_and_drop: the element where it ends'),
    max_chars: z.int().min(200).max(200_000).optional().describe('Longest text or snapshot'),
    path: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe('For screenshot, pdf and download: a new file in your workspace'),
    paths: z
      .array(z.string().min(1).max(1_000))
      .min(1)
      .max(20)
      .optional()
      .describe('For upload: files of your workspace'),
  })
  .extend(
    Action.pick({
      index: true,
      selector: true,
      text: true,
      value: true,
      values: true,
      key: true,
      x: true,
      y: true,
      delta_x: true,
      delta_y: true,
      accept: true,
      prompt_text: true,
      tab_id: true,
    }).shape,
  )
type Input = z.output<typeof Input>

const looking: readonly string[] = [
  'hover',
  'scroll',
  'scroll_to_element',
  'wait_for_selector',
  'wait_for_navigation',
  'wait_for_network_idle',
]

/** Whether a call changes nothing that others see: it may open and read a page, but not use it. */
const looks = ({ action, act }: Input): boolean =>
  action === 'act' ? act !== undefined && looking.includes(act) : !changing.has(action)

const changing = new Set<Input['action']>(['screenshot', 'pdf', 'upload', 'download'])

/** Shown to the person who has to judge it. */
function phrase(input: Input, target?: { element: string | null; url: string } | null): string {
  const { action, act = 'act', index, selector, text, value, values, key, path, paths = [] } = input
  if (action === 'open' || action === 'read') {
    const what = input.url === undefined ? 'the page in the browser' : clipped(input.url, 200)
    return action === 'open' ? `Open ${what} in the browser` : `Read ${what}`
  }
  if (action === 'snapshot') return 'List the elements of the page in the browser'
  if (action === 'screenshot')
    return `Take a picture of the page in the browser${path ? ` as ${clipped(path, 100)}` : ''}`
  if (action === 'tabs') return 'List the tabs of the browser'
  if (action === 'back') return 'Go back in the browser'
  if (action === 'pdf') return `Save the page in the browser as a PDF${path ? `: ${clipped(path, 100)}` : ''}`
  const plain = index === undefined ? clipped(selector ?? '', 80) : `element ${index}`
  const on = target?.element ? `“${target.element}”` : plain
  const site = target && URL.canParse(target.url) ? ` on ${new URL(target.url).host}` : ''
  if (action === 'upload') return `In the browser: upload ${clipped(paths.join(', '), 200)} to ${on}${site}`
  if (action === 'download') return `In the browser: download from ${on}${site}`
  const said = text ?? value ?? values?.join(', ') ?? key
  const what = [act.replaceAll('_', ' '), on].filter((part) => part).join(' ')
  return `In the browser: ${what}${site}${said === undefined ? '' : `: ${clipped(said, 120)}`}`
}

/** What the input applies to, as an act. */
const targetAction = ({
  action,
  act,
  to_index: _,
  path: __,
  paths: ___,
  max_chars: ____,
  ...named
}: Input): Action => ({ ...named, action: action === 'act' && act ? act : 'click' })

/** Names the element of a number. */
async function describe(input: Input, scope: ToolScope): Promise<string> {
  if (!['act', 'upload', 'download'].includes(input.action)) return phrase(input)
  const browser = scope.context.browser.as(conversationHolder(scope))
  return phrase(input, await browser.target(targetAction(input)))
}

export const browser = tool({
  name: 'browser',
  description:
    'A real browser, for pages that need scripts, signing in, forms or clicks; to only read a page, web_fetch is faster. ' +
    'open shows an address: its text, and its elements as numbered lines. act uses the element with that number (index of ' +
    'the last snapshot) and returns what has changed. read gives the text, snapshot all elements; screenshot and pdf save ' +
    'the page in your workspace, download clicks an element and saves the file that it gives, upload puts files of your ' +
    'workspace into a file field.',
  input: Input,
  effect: (input) => (looks(input) ? 'read' : 'write'),
  risk: (input) => {
    // A file of the workspace leaves this machine.
    if (input.action === 'upload') return 'high'
    if (input.url !== undefined) return 'medium'
    return looks(input) ? 'low' : 'medium'
  },
  reaches: ({ url }) => (url === undefined ? null : (parseUrl(url)?.href ?? null)),
  untrusted: () => true,
  timeout_seconds: 120,
  summary: (input) => phrase(input),
  describe,
  async run(input, scope) {
    try {
      return await actions[input.action](input, scope)
    } catch (thrown) {
      throw readable(thrown)
    }
  },
})

/** What the model can correct or report: the missing pack, or a hint. */
function readable(thrown: unknown): unknown {
  if (!(thrown instanceof Fault)) return thrown
  const { code, hint, command } = thrown.extra
  const help = hint ?? (command ? `The owner can install it with: ${command}` : null)
  const parts = [code ? `${code}: ${thrown.message}` : thrown.message, help]
  return new ToolError(parts.filter((part) => part).join('. '))
}

/** Characters, so that a page does not fill the model's context. */
const defaultText = 20_000
const textWhenOpened = 4_000
const defaultSnapshot = 12_000

type Do = (input: Input, scope: ToolScope) => Promise<unknown>

const calls = processState(() => new KeyedLock())

/** Uses the conversation's own tab. Calls of one conversation run one after the other. */
function onOwnTab<Result>(scope: ToolScope, work: (browser: Browser) => Promise<Result>): Promise<Result> {
  return calls(scope.context).run(scope.conversation_id, async () => {
    scope.signal.throwIfAborted()
    return withBrowser(scope.context, work, conversationHolder(scope))
  })
}

const actions: Readonly<Record<Input['action'], Do>> = {
  open: (input, scope) =>
    onOwnTab(scope, async (browser) => {
      if (input.url === undefined) throw new ToolError('Say which url to open')
      await goto(browser, input, scope)
      const picture = await show(browser, input)
      if (picture.dialog) return picture
      return { ...picture, text: (await textOf(browser, input, textWhenOpened)).text }
    }),

  read: (input, scope) =>
    onOwnTab(scope, async (browser) => {
      if (input.url !== undefined) await goto(browser, input, scope)
      return textOf(browser, input, input.max_chars ?? defaultText)
    }),

  snapshot: (input, scope) => onOwnTab(scope, (browser) => show(browser, input)),

  act: (input, scope) =>
    onOwnTab(scope, async (browser) => {
      await browser.act(actionOf(input), { signal: scope.signal })
      return show(browser, input, true)
    }),

  back: (input, scope) =>
    onOwnTab(scope, async (browser) => {
      await browser.act({ action: 'go_back', ...tabOf(input) }, { signal: scope.signal })
      return show(browser, input)
    }),

  pdf: (input, scope) =>
    onOwnTab(scope, async (browser) => {
      const bytes = await browser.pdf(input.tab_id)
      const path = input.path ?? `pages/${scope.context.clock.now()}.pdf`
      return { path: await store(scope, path, (file) => file.write(bytes)), size_bytes: bytes.byteLength }
    }),

  upload: (input, scope) =>
    onOwnTab(scope, async (browser) => {
      const { index, selector } = input
      if (index === undefined && selector === undefined)
        throw new ToolError('Say by index or selector which field takes the files')
      const target = {
        ...(index === undefined ? {} : { index }),
        ...(selector === undefined ? {} : { selector }),
      }
      await browser.upload({ ...target, ...tabOf(input) }, await readFiles(input, scope))
      return show(browser, input, true)
    }),

  download: (input, scope) => onOwnTab(scope, (browser) => download(browser, input, scope)),

  tabs: (_, scope) => onOwnTab(scope, async (browser) => ({ tabs: await browser.tabs() })),

  screenshot: (input, scope) =>
    onOwnTab(scope, async (browser) => {
      const path = input.path ?? `screenshots/${scope.context.clock.now()}.png`
      const bytes = await browser.screenshot({ format: 'png', ...tabOf(input) })
      const stored = await store(scope, path, (file) => file.write(bytes))
      await scope.show?.({ name: stored.slice(stored.lastIndexOf('/') + 1), bytes })
      return { path: stored, size_bytes: bytes.byteLength }
    }),
}

/** Stores a new file, marked as untrusted, under its path, or under the next free name if there is a file already. */
async function store(scope: ToolScope, path: string, write: (file: LockedFile) => Promise<unknown>): Promise<string> {
  const { context } = scope
  const { files } = context
  const root = await rootOf(scope)
  const [, stem = path, extension = ''] = /^(.*[^/])(\.[^./]{1,16})$/s.exec(path) ?? []
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? path : `${stem} (${count})${extension}`
    const isStored = await files.change(root, name, async (file) => {
      if (await files.stat(root, name)) return false
      await context.commit([markTainted(root, name, iso(context.clock.now()))])
      await write(file)
      return true
    })
    if (isStored) return name
  }
}

/** Bytes of all uploaded files together. */
const maxUpload = 50 * 1024 * 1024

async function readFiles({ paths = [] }: Input, scope: ToolScope) {
  if (paths.length === 0) throw new ToolError('Say in paths which files of your workspace to upload')
  let room = maxUpload
  return Promise.all(
    paths.map(async (path) => {
      const bytes = await scope.context.files.read(await rootOf(scope), path)
      if (!bytes) throw new ToolError(`There is no file ${path} in your workspace`)
      room -= bytes.byteLength
      if (room < 0) throw new ToolError(`The files are larger than ${maxUpload} bytes together`)
      const name = path.slice(path.lastIndexOf('/') + 1)
      const sniffer = new Sniffer()
      sniffer.take(bytes)
      return { name, mime_type: await sniffer.type(name), bytes }
    }),
  )
}

/** Clicks an element and keeps the file that it gives. */
async function download(browser: Browser, input: Input, scope: ToolScope) {
  const download = await browser.download(targetAction(input), { signal: scope.signal })
  if (download.path === null) throw new ToolError(download.error ?? 'The download has failed')
  return keep(scope, download, download.path, input.path)
}

/** Copies a download into the workspace. It came from elsewhere, so it is marked as such. */
async function keep(scope: ToolScope, { name, url }: Download, from: string, to = `downloads/${name}`) {
  const { context } = scope
  let size_bytes = 0
  const path = await store(scope, to, async (file) => {
    const stream = await context.files.readStream(downloadsRoot, from)
    if (!stream) throw new ToolError('The downloaded file was deleted')
    size_bytes = (await file.writeStream(stream)).size_bytes
  })
  return { path, url, size_bytes }
}

const goto = (browser: Browser, { url = '', ...input }: Input, { signal }: ToolScope) =>
  browser.act({ action: 'goto', url: absoluteUrl(url), ...tabOf(input) }, { signal })

const tabOf = ({ tab_id }: Pick<Input, 'tab_id'>): { tab_id?: string } => (tab_id === undefined ? {} : { tab_id })

async function textOf(browser: Browser, input: Input, max: number) {
  // One more shows whether the text was cut.
  const { url, title, text } = await browser.text({ max_chars: max + 1, ...tabOf(input) })
  return { url, title, ...cut(text, max) }
}

/** The usable elements, or what has changed in them since the last snapshot. */
function show(browser: Browser, input: Input, diff = false) {
  const max_chars = input.action === 'read' ? defaultSnapshot : (input.max_chars ?? defaultSnapshot)
  return browser.snapshot({ max_chars, diff, ...tabOf(input) })
}

function actionOf({ act, to_index, action: _, path: __, paths: ___, max_chars: ____, ...named }: Input): Action {
  if (act === undefined) throw new ToolError('Say in act what to do, such as click or type_text')
  const to = to_index === undefined ? {} : { to: { index: to_index } }
  return { ...named, ...to, action: act }
}
