import { expect, test } from 'vitest'
import { describeAct } from '../../runtime/browser/live-view.ts'
import type { ActedEvent, ElementTrace } from '../../runtime/ports/browser.ts'

const element: ElementTrace = {
  role: 'textbox',
  name: 'Password',
  text: null,
  label: null,
  test_id: null,
  css: '#p',
  frames: [],
}

const acted: ActedEvent = {
  tab_id: 't1',
  action: { action: 'type_text', selector: '#p', text: 'correct horse' },
  element,
  url: 'https://shop.test/',
  at: 0,
  duration_ms: 7,
  failure: null,
}

test('watchers are notified of an act with the name of its element', () => {
  expect(describeAct(acted)).toMatchObject({
    target: 'Password',
    action: { text: 'correct horse' },
    by_person: false,
    at: '1970-01-01T00:00:00.000Z',
  })
})

test('text typed into a secret field is never reported', () => {
  expect(JSON.stringify(describeAct({ ...acted, element: { ...element, secret: true } }))).not.toContain('correct')
})
