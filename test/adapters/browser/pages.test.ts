import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Action } from '../../../runtime/tabs/schema.ts'
import { type Bench, openBench } from './driver.ts'

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench.close())

/** The line to act on, the act, and what else it says; a string in `to` is a line too. */
type Step = [line: string, action: string, more?: Partial<Omit<Action, 'to'>> & { to?: string }]

/** A kind of page, what is done on it by the numbers of its lines, and what it has noted of itself then. */
const cases: [what: string, page: string, steps: Step[], told: string][] = [
  ['a frame', 'frames', [['Inner (button', 'click']], '?same pressed'],
  [
    'a frame inside one of another origin',
    'frames',
    [['Inner (button, in "frame ?nested', 'click']],
    '?nested pressed',
  ],
  ['a field in a frame', 'frames', [['Inner field', 'type_text', { text: 'x' }]], 'x'],
  ['a page that ponders is not pressed twice', 'ponder', [['Pay', 'click']], 'paid'],
  ['a drag in a frame', 'frames', [['Card', 'drag_and_drop', { to: 'Zone' }]], 'dropped'],
  ['below the edge of a frame', 'frames', [['Deep (button', 'click']], 'deep'],
  [
    'a shadow root',
    'shadow',
    [
      ['Deeper', 'click'],
      ['Deep name', 'type_text', { text: 'y' }],
    ],
    'deeper y',
  ],
  ['what listens in a shadow root', 'shadow', [['Listens', 'click']], 'listened'],
  ['a drag of HTML', 'drag', [['Native', 'drag_and_drop', { to: 'Target' }]], 'native'],
  ['a drag by the mouse', 'drag', [['Mouse', 'drag_and_drop', { to: 'Goal' }]], 'm in'],
  ['a drag within one slot', 'slots', [['#slot-4 ', 'drag_and_drop', { to: '#slot-4 ' }]], '4 to 5'],
  ['a drag into an outline', 'outline', [['Ball', 'drag_and_drop', { to: 'Frame' }]], 'inside'],
  ['a drag by the pointer', 'drag', [['Pointer', 'drag_and_drop', { to: 'Goal' }]], 'p in'],
  ['a list that is sorted', 'sortable', [['One', 'drag_and_drop', { to: 'Three' }]], 'Two,Three,One,Four'],
  ['a grid that is sorted', 'grid', [['Echo', 'drag_and_drop', { to: 'Charlie' }]], 'ABECDF'],
  ['a list of high entries', 'tiles', [['North', 'drag_and_drop', { to: 'South' }]], 'East,South,North'],
  ['a slider by the mouse', 'slider', [['Volume', 'drag_and_drop', { delta_x: 100 }]], '50'],
  ['a slider by keys', 'slider', [['Volume', 'press_key', { key: 'Right Right left ArrowRight' }]], '2'],
  ['a corner to resize', 'slider', [['.handle', 'drag_and_drop', { delta_x: 50 }]], 'width 140'],
  ['a day', 'inputs', [['Day', 'type_text', { text: '2026-03-29' }]], '2026-03-29'],
  ['a day as it is shown', 'inputs', [['Day', 'type_text', { text: '3/29/2026' }]], '2026-03-29'],
  ['a time', 'inputs', [['Time', 'type_text', { text: '2:30 PM' }]], '14:30'],
  ['a month', 'inputs', [['Month', 'type_text', { text: '2026-03' }]], '2026-03'],
  ['a week', 'inputs', [['Week', 'type_text', { text: '2026-W13' }]], '2026-W13'],
  ['a moment', 'inputs', [['When', 'type_text', { text: '2026-03-29T14:30' }]], '2026-03-29T14:30'],
  ['a colour', 'inputs', [['Colour', 'type_text', { text: '#F00' }]], '#ff0000'],
  ['a range', 'inputs', [['Level', 'type_text', { text: '7' }]], '7'],
  ['a number', 'inputs', [['Count', 'type_text', { text: '42' }]], '42'],
  ['a text area', 'inputs', [['Notes', 'type_text', { text: 'a\nb' }]], 'a b'],
  ['an emptied field', 'inputs', [['Notes', 'type_text', { text: '' }]], ''],
  ['an editor', 'editor', [['Body', 'type_text', { text: 'all new' }]], 'all new'],
  ['a field in something', 'editor', [['Wrapped', 'type_text', { text: 'in' }]], 'in'],
  [
    'a list of proposals',
    'autocomplete',
    [
      ['City', 'type_text', { text: 'Li' }],
      ['Lima', 'click'],
    ],
    'Lima',
  ],
  [
    'enter in a field',
    'autocomplete',
    [
      ['City', 'type_text', { text: 'P' }],
      ['City', 'press_key', { key: 'Return' }],
    ],
    'entered P',
  ],
  ['what lies below in a box', 'scrolling', [['Far', 'click']], 'far'],
  ['a wheel over an inner box', 'scrolling', [['Inner', 'scroll', { delta_y: 200 }]], 'inner scrolled'],
  [
    'a feed without end',
    'scrolling',
    [
      ['Feed', 'scroll', { delta_y: 900 }],
      ['Item 15', 'click'],
    ],
    'item 15',
  ],
  [
    'a virtual list',
    'virtual',
    [
      ['Rows', 'scroll', { delta_y: 2000 }],
      ['Row 103', 'click'],
    ],
    'Row 103',
  ],
  ['a page that never settles', 'busy', [['Busy', 'click']], 'pressed'],
  ['a list that the page draws', 'listbox', [['Fruit', 'select_option', { value: 'pear' }]], 'Pear'],
  [
    'the same by clicks',
    'listbox',
    [
      ['Fruit', 'click'],
      ['Plum', 'click'],
    ],
    'Plum',
  ],
  ['a list of the browser', 'listbox', [['Native', 'select_option', { value: 'Beta' }]], 'b'],
  ['a list of many', 'listbox', [['Many', 'select_option', { values: ['red', 'Blue'] }]], 'Red,Blue'],
  [
    'a hidden box with a label',
    'switches',
    [
      ['Alerts', 'check'],
      ['Alerts', 'uncheck'],
    ],
    'atrue afalse',
  ],
  [
    'a label with a link',
    'switches',
    [
      ['Agree', 'check'],
      ['Agree', 'check'],
    ],
    'btrue',
  ],
  [
    'a switch that is drawn',
    'switches',
    [
      ['Dark', 'check'],
      ['Dark', 'uncheck'],
    ],
    'dark dark',
  ],
  ['a radio button', 'switches', [['Large', 'check']], 'large'],
  [
    'a menu by hover',
    'menus',
    [
      ['Edit', 'hover'],
      ['Undo it', 'click'],
    ],
    'undo',
  ],
  [
    'a menu in a menu',
    'menus',
    [
      ['File', 'hover'],
      ['Export', 'hover'],
      ['PDF file', 'click'],
    ],
    'pdf',
  ],
  [
    'a menu by script',
    'menus',
    [
      ['Tools', 'hover'],
      ['Hammer', 'click'],
    ],
    'tool',
  ],
  [
    'a menu of the right button',
    'menus',
    [
      ['Right here', 'right_click'],
      ['Copy it', 'click'],
    ],
    'menu copied',
  ],
  ['two clicks', 'menus', [['Right here', 'double_click']], 'twice'],
  ['tabs', 'tabs', [['Advanced (tab', 'click']], 't2'],
  [
    'what unfolds',
    'tabs',
    [
      ['Section', 'click'],
      ['In section', 'click'],
    ],
    'toggled inside',
  ],
  [
    'details',
    'tabs',
    [
      ['More', 'click'],
      ['In details', 'click'],
    ],
    'detail',
  ],
  [
    'a tree',
    'tree',
    [
      ['in "Fruit', 'click'],
      ['in "Citrus', 'click'],
      ['Lemon', 'click'],
    ],
    'Lemon',
  ],
  ['equal buttons by row', 'rows', [['Delete (button, in "Bob', 'click']], 'Delete bob'],
  ['a row that is clicked', 'rows', [['Ada Lovelace ada@example.org', 'click']], 'row ada'],
  ['equal icons by post', 'rows', [['in "@dave New record out now"', 'click']], 'i like @dave'],
  ['an icon with a hint', 'rows', [['Print this', 'click']], 'icon'],
  ['an icon with a name', 'rows', [['Send it', 'click']], 'icon'],
  ['an icon that is a letter of a font', 'rows', [['fa-trash', 'click']], 'icon'],
  [
    'shapes',
    'drawing',
    [
      ['(circle)', 'click'],
      ['rgb(0,0,255)', 'click'],
      ['(line)', 'click'],
      ['7 (text, rgb(0,0,0), 20px)', 'click'],
    ],
    'circle rect line text',
  ],
  ['a point of a canvas', 'drawing', [['Board', 'click', { x: 10, y: 20 }]], 'canvas 10,20'],
  [
    'a drawing',
    'drawing',
    [['Board', 'drag_and_drop', { x: 10, y: 10, delta_x: 30, delta_y: 20 }]],
    'drawn canvas 40,30',
  ],
  [
    'parts of a picture',
    'drawing',
    [
      ['Left', 'click'],
      ['Right', 'click'],
    ],
    'left right',
  ],
  [
    'pages of results',
    'pager',
    [
      ['>', 'click'],
      ['Result 5', 'click'],
    ],
    'Result 5',
  ],
  ['a thing that moves', 'obstacles', [['Moving', 'click']], 'caught'],
  ['a wrapper without a size', 'obstacles', [['Floated', 'click']], 'floated'],
  ['what is half covered', 'obstacles', [['Half', 'click']], 'half'],
  ['below everything', 'obstacles', [['Below', 'click']], 'below'],
  ['what removes itself', 'obstacles', [['Remove me', 'click']], 'removed'],
  [
    'a modal',
    'obstacles',
    [
      ['Show modal', 'click'],
      ['Close modal', 'click'],
      ['Half', 'click'],
    ],
    'closed half',
  ],
  [
    'what is enabled late',
    'valid',
    [
      ['Name', 'type_text', { text: 'Ada' }],
      ['Send', 'click'],
    ],
    'sent Ada',
  ],
  [
    'two clicks to edit',
    'valid',
    [
      ['Edit me', 'double_click'],
      ['Inline', 'type_text', { text: 'new' }],
      ['Inline', 'press_key', { key: 'Enter' }],
    ],
    'edited new',
  ],
  ['keys alone', 'valid', [['Board', 'press_key', { key: 'ArrowDown ArrowDown ArrowUp Enter' }]], 'at 1'],
  [
    'words that are selected',
    'words',
    [
      ['quick', 'drag_and_drop', { to: 'quick' }],
      ['Submit', 'click'],
    ],
    'The quick brown fox jumps over the lazy dog near the river bank.',
  ],
  [
    'what a hostile page shows',
    'hostile',
    [
      ['One', 'click'],
      ['Two', 'click'],
      ['LLL', 'click'],
      ['In form', 'click'],
      ['Heard', 'click'],
    ],
    'one two long form heard',
  ],
]

test.each(cases)('%s', async (_, page, steps, told) => {
  const driver = await bench.open(page)
  for (const [line, action, { to, ...more } = {}] of steps) {
    const end = to === undefined ? {} : { to: { index: await driver.index(to) } }
    await driver.on(line, action, { ...more, ...end })
    driver.text = ''
    await driver.look()
  }
  await expect.poll(async () => (await driver.out()).replace(/\s+/g, ' ')).toBe(told)
})
