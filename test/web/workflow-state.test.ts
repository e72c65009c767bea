import { describe, expect, test } from 'vitest'
import { describeNodeTypes, findNodeType } from '../../runtime/workflows/nodes/index.ts'
import {
  before,
  cell,
  changed,
  connected,
  copyOf,
  type Flow,
  freeName,
  historyOf,
  inOrder,
  isDirty,
  neighbour,
  newNode,
  nextPosition,
  pasted,
  pinned,
  redone,
  shifted,
  undone,
  withBefore,
  withChangedNode,
  withNode,
  without,
} from '../../web/pages/workflows/editor-state.ts'
import { arranged } from '../../web/pages/workflows/layout.ts'
import words from '../../web/pages/workflows/node-words.json' with { type: 'json' }
import { searchNodes } from '../../web/pages/workflows/search-nodes.ts'

const empty: Flow = { nodes: [], edges: [], pin_data: {} }

/** A flow of nodes in a row, each connected to the next. */
function row(...types: string[]): Flow {
  let flow = empty
  for (const type of types) {
    const last = flow.nodes.at(-1)
    const node = newNode(flow, { type, name: type }, nextPosition(flow, last))
    flow = withNode(flow, node)
    if (last) flow = connected(flow, { source: last.id, source_output: 'main', target: node.id })
  }
  return flow
}

describe('undo and redo', () => {
  test('take each step back and forth, and a change after undo forgets what was undone', () => {
    let history = changed(changed(historyOf('a'), 'b'), 'c')
    history = undone(history)
    expect(history).toMatchObject({ draft: 'b', past: ['a'], future: ['c'] })
    expect(redone(history)).toMatchObject({ draft: 'c', past: ['a', 'b'], future: [] })
    expect(changed(history, 'd')).toMatchObject({ draft: 'd', past: ['a', 'b'], future: [] })
    expect(undone(historyOf('a'))).toEqual(historyOf('a'))
    expect(redone(historyOf('a'))).toEqual(historyOf('a'))
  })

  test('typing into one field is one step, and after undo it is a new one', () => {
    let history = changed(historyOf(''), 'h', 'name')
    history = changed(history, 'hi', 'name')
    expect(undone(history).draft).toBe('')
    expect(changed(undone(history), 'x', 'name').past).toEqual([''])
    expect(changed(history, 'other', 'notes').past).toEqual(['', 'hi'])
  })

  test('keep at most 200 steps', () => {
    let history = historyOf(0)
    for (let step = 1; step <= 250; step += 1) history = changed(history, step)
    expect(history.past).toHaveLength(200)
    expect(history.past[0]).toBe(50)
  })

  test('a draft that is as saved is not dirty', () => {
    const history = changed(historyOf({ name: 'a' }), { name: 'b' })
    expect(isDirty(history)).toBe(true)
    expect(isDirty(changed(history, { name: 'a' }))).toBe(false)
    expect(isDirty(undone(history))).toBe(false)
  })
})

describe('nodes', () => {
  test('get readable ids and free names', () => {
    const flow = row('trigger.manual', 'http', 'http')
    expect(flow.nodes.map(({ id }) => id)).toEqual(['manual', 'http', 'http_2'])
    expect(flow.nodes.map(({ name }) => name)).toEqual(['trigger.manual', 'http', 'http 2'])
    expect(freeName(flow, 'code')).toBe('code')
  })

  test('never cover each other', () => {
    const flow = row('trigger.manual')
    const node = newNode(flow, { type: 'set', name: 'Set' }, { x: 10, y: 10 })
    expect(node.position).toEqual({ x: 10, y: 130 })
  })

  test('deleting one deletes its edges and its pinned data, and an edge can be deleted alone', () => {
    const flow = pinned(row('trigger.manual', 'http', 'set'), 'http', { ok: true })
    const less = without(flow, ['http'])
    expect(less).toMatchObject({ nodes: [{ id: 'manual' }, { id: 'set' }], edges: [], pin_data: {} })
    expect(without(flow, ['manual-main-http']).edges).toMatchObject([{ source: 'http' }])
  })

  test('are moved together and changed alone', () => {
    const flow = row('trigger.manual', 'http')
    const moved = shifted(flow, ['manual', 'http'], { x: 10, y: -20 })
    expect(moved.nodes.map(({ position }) => position)).toEqual([
      { x: 10, y: -20 },
      { x: 270, y: -20 },
    ])
    expect(withChangedNode(flow, 'http', { disabled: true }).nodes.map(({ disabled }) => disabled)).toEqual([
      false,
      true,
    ])
  })

  test('pinned data is removed again', () => {
    const flow = pinned(row('http'), 'http', null)
    expect(flow.pin_data).toEqual({ http: null })
    expect(pinned(flow, 'http', undefined).pin_data).toEqual({})
  })
})

describe('edges', () => {
  test('exist once, and never lead to a trigger, to nothing or back to the same node', () => {
    const flow = row('trigger.manual', 'condition')
    const link = { source: 'manual', source_output: 'main', target: 'condition' }
    expect(connected(flow, link)).toBe(flow)
    expect(connected(flow, { ...link, source: 'condition', target: 'manual' })).toBe(flow)
    expect(connected(flow, { ...link, target: 'nothing' })).toBe(flow)
    expect(connected(flow, { ...link, source: 'condition' })).toBe(flow)
  })

  test('leave two outputs for the same node', () => {
    let flow = withNode(row('condition'), newNode(row('condition'), { type: 'set', name: 'Set' }, { x: 300, y: 0 }))
    for (const source_output of ['true', 'false'])
      flow = connected(flow, { source: 'condition', source_output, target: 'set' })
    expect(flow.edges.map(({ id }) => id)).toEqual(['condition-true-set', 'condition-false-set'])
  })
})

describe('copy and paste', () => {
  test('keep the edges between the copied nodes and let expressions name the copies', () => {
    const flow = withChangedNode(row('trigger.manual', 'http', 'set'), 'set', {
      params: { text: '{{ nodes.http.body }} and {{ nodes.manual.day }}' },
    })
    const result = pasted(flow, copyOf(flow, ['http', 'set']))
    expect(result?.ids).toEqual(['http_2', 'set_2'])
    expect(result?.flow.edges.at(-1)).toMatchObject({ source: 'http_2', target: 'set_2' })
    expect(result?.flow.edges).toHaveLength(3)
    expect(result?.flow.nodes.at(-1)?.params).toEqual({
      text: '{{ nodes.http_2.body }} and {{ nodes.manual.day }}',
    })
    expect(result?.flow.nodes.slice(0, 3)).toEqual(flow.nodes)
  })

  test.each(['', 'hello', '{"nodes": []}', '{"nodes": [{"id": 1}]}', '[1]'])('%j holds no nodes', (text) => {
    expect(pasted(row('http'), text)).toBeNull()
  })
})

describe('moving over the canvas', () => {
  const flow = row('trigger.manual', 'condition', 'set')

  test.each([
    ['manual', 'right', 'condition'],
    ['condition', 'left', 'manual'],
    ['set', 'right', undefined],
    ['set', 'up', undefined],
    ['unknown', 'up', 'manual'],
  ] as const)('from %s to the %s is %s', (from, direction, to) => {
    expect(neighbour(flow, from, direction)).toBe(to)
  })

  test('order is that of the run, also with a loop', () => {
    const shuffled = { ...flow, nodes: flow.nodes.toReversed() }
    expect(inOrder(shuffled).map(({ id }) => id)).toEqual(['manual', 'condition', 'set'])
    const loop = connected(row('trigger.manual', 'loop', 'http'), {
      source: 'http',
      source_output: 'main',
      target: 'loop',
    })
    expect(inOrder(loop).map(({ id }) => id)).toEqual(['manual', 'loop', 'http'])
    expect([...before(loop, 'http')]).toEqual(['loop', 'manual'])
  })

  test('the layout goes from left to right without overlaps', () => {
    const positions = [...arranged(row('trigger.manual', 'condition', 'set')).values()]
    expect(positions.map(({ x }) => x)).toEqual(positions.map(({ x }) => x).toSorted((one, other) => one - other))
    expect(new Set(positions.map(({ x }) => x)).size).toBe(3)
  })
})

test.each([
  ['fetch api', 'http'],
  ['summarise', 'summarize'],
  ['for each', 'loop'],
  ['array', 'split_out'],
  ['filter', 'condition'],
  ['reply', 'respond'],
  ['cron', 'trigger.schedule'],
  ['excel', 'extract_from_file'],
  ['gmail', 'notify'],
  ['merge', 'merge'],
  ['webhook', 'trigger.webhook'],
])('a search for "%s" finds the node %s first', (text, type) => {
  expect(searchNodes(describeNodeTypes(), text)[0]?.type).toBe(type)
})

test('every other name of a node belongs to a type', () => {
  expect(Object.keys(words).filter((type) => !findNodeType(type))).toEqual([])
})

test('a node that is put before another one takes its edges, and what is right of it makes room', () => {
  const flow = row('trigger.manual', 'http', 'set')
  const [start, http, set] = flow.nodes
  if (!start || !http || !set) throw new Error('Three nodes')
  const next = withBefore(flow, http, { type: 'split_out', name: 'Split out' })
  const made = next.nodes.at(-1)
  expect(made).toMatchObject({ type: 'split_out', position: http.position })
  expect(next.edges.map(({ source, target }) => [source, target])).toEqual([
    [start.id, made?.id],
    [http.id, set.id],
    [made?.id, http.id],
  ])
  const xs = (of: Flow) => of.nodes.slice(0, 3).map(({ position }) => position.x)
  expect(xs(next)).toEqual([xs(flow)[0], (xs(flow)[1] ?? 0) + cell.x, (xs(flow)[2] ?? 0) + cell.x])
})
