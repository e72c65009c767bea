import { expect, test } from 'vitest'
import { isKey, pointOf } from '../../../web/pages/browser/live/coordinates.ts'
import { logged, type ToldAct } from '../../../web/pages/browser/live/messages.ts'
import { actionOf, elementOf, nothingGiven } from '../../../web/pages/browser/side/act-fields.ts'
import { changed, found, linesOf } from '../../../web/pages/browser/side/lines.ts'

test('a point of the picture is the same point of the page, whatever its size on the screen', () => {
  const box = { left: 100, top: 50, width: 640, height: 360 }
  const page = { width: 1280, height: 720 }
  expect(pointOf({ clientX: 420, clientY: 230 }, box, page)).toEqual({ x: 640, y: 360 })
  expect(pointOf({ clientX: 100, clientY: 50 }, box, page)).toEqual({ x: 0, y: 0 })
  expect(pointOf({ clientX: 2_000, clientY: -5 }, box, page)).toEqual({ x: 1279, y: 0 })
})

test.each([
  [{ key: 'a' }, true],
  [{ key: 'Enter' }, true],
  [{ key: 'a', ctrlKey: true }, true],
  [{ key: 'ä' }, false],
  [{ key: 'Dead' }, false],
  [{ key: '@', ctrlKey: true, altKey: true }, false],
  [{ key: 'v', ctrlKey: true }, false],
  [{ key: 'V', metaKey: true }, false],
  [{ key: 'k', isComposing: true }, false],
])('a key goes through as a key, or as the text that it writes: %j', (pressed, expected) => {
  const plain = { ctrlKey: false, metaKey: false, altKey: false, isComposing: false }
  expect(isKey({ ...plain, ...pressed })).toBe(expected)
})

const act = (over: Partial<ToldAct>): ToldAct => ({
  tab_id: 't1',
  action: { action: 'type_text', text: 'A' },
  target: 'Name',
  by_person: true,
  at: '2026-01-01T00:00:00.000Z',
  duration_ms: 5,
  url: null,
  failure: null,
  ...over,
})

test('what a person writes letter by letter is one act of the log; an agent’s acts are each their own', () => {
  const first = logged([], act({}), 1)
  const second = logged(first, act({ action: { action: 'type_text', text: 'Ad' } }), 2)
  expect(second).toMatchObject([{ key: 1, heard_at: 2, action: { text: 'Ad' } }])
  const other = logged(second, act({ target: 'Town' }), 3)
  expect(other.map(({ key }) => key)).toEqual([2, 1])
  const agents = logged(other, act({ target: 'Town', by_person: false }), 4)
  expect(agents.map(({ key }) => key)).toEqual([3, 2, 1])
})

test('lines are found by all their words, and what is new is told apart from a new number', () => {
  const lines = linesOf('[1] Save changes (button)\n[2] Name (textbox)\n… 3 more elements')
  expect(lines[2]).toEqual({ index: null, text: '… 3 more elements' })
  expect(found(lines, 'BUTTON save').map(({ index }) => index)).toEqual([1])
  expect(found(lines, '2').map(({ index }) => index)).toEqual([2])
  const next = linesOf('[1] Menu (button)\n[2] Save changes (button)\n[3] Save changes (button)')
  expect(changed(next, lines).map(({ index }) => index)).toEqual([1, 3])
})

test('an element is named by its number or a selector, and an act takes only what belongs to it', () => {
  expect(elementOf(' [12] ')).toEqual({ index: 12 })
  expect(elementOf('#save')).toEqual({ selector: '#save' })
  const given = { ...nothingGiven, element: '3', text: 'hello', url: 'https://example.com' }
  expect(actionOf('click', given)).toEqual({ action: 'click', index: 3 })
  expect(actionOf('type_text', given)).toEqual({ action: 'type_text', index: 3, text: 'hello' })
  expect(actionOf('reload', given)).toEqual({ action: 'reload' })
  const answer = { action: 'handle_dialog', accept: true, prompt_text: 'hello' }
  expect(actionOf('handle_dialog', given)).toEqual(answer)
})
