import { expect, test } from 'vitest'
import type { LiveAct } from '../../../runtime/browser/live-view.ts'
import { actionOf, elementOf, emptyValues } from '../../../web/pages/browser/action-fields.ts'
import { isKey, pointOf } from '../../../web/pages/browser/control.ts'
import { logAction } from '../../../web/pages/browser/live-stream.ts'
import { changedLines, linesOf, searchLines } from '../../../web/pages/browser/snapshot-lines.ts'

test('a point of the picture maps to the same point of the page at any size', () => {
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
])('a key press is sent as a key or as text: %j', (pressed, expected) => {
  const plain = { ctrlKey: false, metaKey: false, altKey: false, isComposing: false }
  expect(isKey({ ...plain, ...pressed })).toBe(expected)
})

const act = (over: Partial<LiveAct>): LiveAct => ({
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

test('a person’s typing is one entry of the log; each action of an agent is its own entry', () => {
  const first = logAction([], act({}), 1)
  const second = logAction(first, act({ action: { action: 'type_text', text: 'Ad' } }), 2)
  expect(second).toMatchObject([{ key: 1, received_at: 2, action: { text: 'Ad' } }])
  const other = logAction(second, act({ target: 'Town' }), 3)
  expect(other.map(({ key }) => key)).toEqual([2, 1])
  const agents = logAction(other, act({ target: 'Town', by_person: false }), 4)
  expect(agents.map(({ key }) => key)).toEqual([3, 2, 1])
})

test('lines are found by all their words; a changed number alone is not a change', () => {
  const lines = linesOf('[1] Save changes (button)\n[2] Name (textbox)\n… 3 more elements')
  expect(lines[2]).toEqual({ index: null, text: '… 3 more elements' })
  expect(searchLines(lines, 'BUTTON save').map(({ index }) => index)).toEqual([1])
  expect(searchLines(lines, '2').map(({ index }) => index)).toEqual([2])
  const next = linesOf('[1] Menu (button)\n[2] Save changes (button)\n[3] Save changes (button)')
  expect(changedLines(next, lines).map(({ index }) => index)).toEqual([1, 3])
})

test('an element is a number or a selector; an action has only its own fields', () => {
  expect(elementOf(' [12] ')).toEqual({ index: 12 })
  expect(elementOf('#save')).toEqual({ selector: '#save' })
  const given = { ...emptyValues, element: '3', text: 'hello', url: 'https://example.com' }
  expect(actionOf('click', given)).toEqual({ action: 'click', index: 3 })
  expect(actionOf('type_text', given)).toEqual({ action: 'type_text', index: 3, text: 'hello' })
  expect(actionOf('reload', given)).toEqual({ action: 'reload' })
  const answer = { action: 'handle_dialog', accept: true, prompt_text: 'hello' }
  expect(actionOf('handle_dialog', given)).toEqual(answer)
})
