import type { Action } from '../../browser/schema.ts'
import { withBrowser } from '../../browser/use.ts'
import type { Browser } from '../../ports/browser.ts'
import { cut } from '../text.ts'
import { ToolError, type ToolScope } from '../tool.ts'
import { absoluteUrl } from '../web/receive.ts'
import type { Input } from './input.ts'

/** Characters, so that a page does not fill the model's context. */
const usualText = 20_000
const openedText = 4_000
const usualSnapshot = 12_000

type Do = (input: Input, scope: ToolScope) => Promise<unknown>

export const actions: Readonly<Record<Input['action'], Do>> = {
  open: (input, { context, signal, conversation_id }) =>
    withBrowser(
      context,
      async (browser) => {
        if (input.url === undefined) throw new ToolError('Say which url to open')
        await browser.act({ action: 'goto', url: absoluteUrl(input.url), ...tabOf(input) }, { signal })
        const told = await show(browser, input)
        if (told.dialog) return told
        return { ...told, text: (await textOf(browser, input, openedText)).text }
      },
      conversation_id,
    ),

  read: (input, { context, signal, conversation_id }) =>
    withBrowser(
      context,
      async (browser) => {
        if (input.url !== undefined)
          await browser.act({ action: 'goto', url: absoluteUrl(input.url), ...tabOf(input) }, { signal })
        return textOf(browser, input, input.max_chars ?? usualText)
      },
      conversation_id,
    ),

  snapshot: (input, { context, conversation_id }) =>
    withBrowser(context, (browser) => show(browser, input), conversation_id),

  act: (input, { context, signal, conversation_id }) =>
    withBrowser(
      context,
      async (browser) => {
        await browser.act(actionOf(input), { signal })
        return show(browser, input, true)
      },
      conversation_id,
    ),

  back: (input, { context, signal, conversation_id }) =>
    withBrowser(
      context,
      async (browser) => {
        await browser.act({ action: 'go_back', ...tabOf(input) }, { signal })
        return show(browser, input)
      },
      conversation_id,
    ),

  tabs: (_, { context }) => withBrowser(context, async (browser) => ({ tabs: await browser.tabs() })),

  async screenshot(input, { context, agent }) {
    const path = input.path ?? `screenshots/${context.clock.now()}.png`
    const bytes = await withBrowser(context, (browser) =>
      browser.screenshot({ format: 'png', ...tabOf(input) }),
    )
    await context.files.write(`workspaces/${agent.id}`, path, bytes)
    return { path, size_bytes: bytes.byteLength }
  },
}

const tabOf = ({ tab_id }: Input): { tab_id?: string } => (tab_id === undefined ? {} : { tab_id })

async function textOf(browser: Browser, input: Input, most: number) {
  // One more tells whether there is more.
  const { url, title, text } = await browser.text({ max_chars: most + 1, ...tabOf(input) })
  return { url, title, ...cut(text, most) }
}

/** What can be used, or what of it has changed since the last look. */
function show(browser: Browser, input: Input, diff = false) {
  const max_chars = input.action === 'read' ? usualSnapshot : (input.max_chars ?? usualSnapshot)
  return browser.snapshot({ max_chars, diff, ...tabOf(input) })
}

function actionOf({ act, to_index, action: _, path: __, max_chars: ___, ...named }: Input): Action {
  if (act === undefined) throw new ToolError('Say in act what to do, such as click or type_text')
  const to = to_index === undefined ? {} : { to: { index: to_index } }
  return { ...named, ...to, action: act }
}
