import { expect, test } from 'vitest'
import { defaultSetup } from '../../support/browser-setup.ts'
import { openBrowser, servePages } from '../../support/open-browser.ts'

test('a number keeps its meaning for its reader, regardless of other readers of the page', async () => {
  const browser = await openBrowser()
  await browser.configure(defaultSetup)
  const [agent, person, stranger] = [
    browser.as({ kind: 'conversation', id: 'conv_1', name: 'Agent', owner_id: 'ada' }),
    browser.as({ kind: 'person', id: 'ada', name: 'Ada', owner_id: 'ada' }),
    browser.as({ kind: 'person', id: 'ada_2', name: 'Ada elsewhere', owner_id: 'ada' }),
  ]
  const url = await servePages({
    '/': `<button onclick="this.insertAdjacentHTML('beforebegin', '<button>Delete all</button>')">Add</button>
      <button onclick="document.title = 'saved'">Save</button>`,
  })
  await agent.act({ action: 'goto', url })
  const tab_id = (await agent.tabs())[0]?.id ?? ''
  expect((await agent.snapshot()).snapshot).toBe('[1] Add (button)\n[2] Save (button)')

  await agent.act({ action: 'click', selector: 'text=Add' })
  expect((await person.snapshot({ tab_id })).snapshot).toBe(
    '[3] Delete all (button)\n[1] Add (button, focused)\n[2] Save (button)',
  )
  const saved = await agent.act({ action: 'click', index: 2 })
  expect(saved.title).toBe('saved')

  const diff = await agent.snapshot({ diff: true })
  expect(diff.snapshot).toContain('Delete all')
  await expect(stranger.act({ action: 'click', index: 2, tab_id })).rejects.toMatchObject({
    code: 'stale_index',
  })
})
