import { expect, test } from 'vitest'
import { defaultSetup } from '../../support/browser-setup.ts'
import { openBrowser, servePages } from '../../support/open-browser.ts'

test('a number keeps its meaning for its reader, regardless of other readers of the page', async () => {
  const browser = await openBrowser()
  await browser.configure(defaultSetup)
  const url = await servePages({
    '/': `<button onclick="this.insertAdjacentHTML('beforebegin', '<button>Delete all</button>')">Add</button>
      <button onclick="document.title = 'saved'">Save</button>`,
  })
  await browser.act({ action: 'goto', url })
  expect((await browser.snapshot({ reader: 'agent' })).snapshot).toBe('[1] Add (button)\n[2] Save (button)')

  await browser.act({ action: 'click', selector: 'text=Add' })
  expect((await browser.snapshot({ reader: 'person' })).snapshot).toBe(
    '[3] Delete all (button)\n[1] Add (button, focused)\n[2] Save (button)',
  )
  const saved = await browser.act({ action: 'click', index: 2 }, { reader: 'agent' })
  expect(saved.title).toBe('saved')

  const diff = await browser.snapshot({ reader: 'agent', diff: true })
  expect(diff.snapshot).toContain('Delete all')
  const stranger = browser.act({ action: 'click', index: 2 }, { reader: 'nobody yet' })
  await expect(stranger).rejects.toMatchObject({ code: 'stale_index' })
})
