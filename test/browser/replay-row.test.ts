import { expect, test } from 'vitest'
import type { ElementTrace } from '../../runtime/ports/browser.ts'
import { defaultSetup } from '../support/browser-setup.ts'
import { openBrowser, servePages } from '../support/open-browser.ts'

const page = (orders: readonly number[]) =>
  `<table>${orders
    .map((order) => `<tr><td>Order ${order}<td><button onclick="document.title = 'deleted ${order}'">Delete</button>`)
    .join('')}</table>`

/** Records a click on "Delete" of order 1115, and performs it again on a page with these orders. */
async function again(orders: readonly number[], script = ''): Promise<string> {
  const browser = await openBrowser()
  await browser.configure(defaultSetup)
  const url = await servePages({ '/': page([1114, 1115, 1116]), '/later': page(orders) + script })
  const traces: ElementTrace[] = []
  browser.onAct(({ action, element }) => element && action.action === 'click' && traces.push(element))
  await browser.act({ action: 'goto', url })
  await browser.act({ action: 'click', selector: 'tr:nth-child(2) button' })
  const [element] = traces
  if (!element) throw new Error('nothing was recorded')
  expect(element.row).toContain('1115')
  await browser.act({ action: 'goto', url: `${url}/later` })
  const { title } = await browser.act({ action: 'click', timeout_ms: 3_000 }, { element })
  return title
}

test('a recorded step acts on its row, wherever the row is now', async () => {
  expect(await again([1117, 1116, 1115, 1118])).toBe('deleted 1115')
  expect(await again([1115])).toBe('deleted 1115')
})

test('if its row is missing a step fails, and lists the available rows', async () => {
  const failure = { code: 'element_not_found', message: expect.stringContaining('Order 1116') }
  await expect(again([1114, 1116])).rejects.toMatchObject(failure)
  await expect(again([1116])).rejects.toMatchObject(failure)
})

test('if its row becomes another while the pointer is on its way a step fails', async () => {
  const script = `<script>document.querySelector('table').onmouseover = ({ target }) => {
    target.closest('tr').cells[0].textContent = 'Order 1119' }</script>`
  await expect(again([1114, 1115, 1116], script)).rejects.toMatchObject({
    code: 'stale_index',
    message: expect.stringContaining('Order 1119'),
  })
})
