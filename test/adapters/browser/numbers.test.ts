import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bench, type Driver, openBench } from './driver.ts'

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench.close())

/** Orders 1100 to 1299, each with a button that deletes it. */
const orders = (script: string) => `<table id=orders></table><script>
  const orders = Array.from({ length: 200 }, (_, at) => 1100 + at)
  const deleted = []
  const table = document.getElementById('orders')
  ${script}
</script>`

/** Rows are elements that move along with their order. */
const keyed = orders(`
  for (const order of orders) {
    const row = table.insertRow()
    row.innerHTML = '<td>Order ' + order + '<td><button>Delete</button>'
    row.querySelector('button').onclick = () => { deleted.push(order); row.remove(); table.tBodies[0].prepend(table.rows[table.rows.length - 1]) }
  }`)

/** Rows are reused for the order that is at their place now, as by a framework without keys. */
const reused = orders(`
  for (let at = 0; at < orders.length; at += 1) {
    const row = table.insertRow()
    row.innerHTML = '<td><td><button>Delete</button>'
    row.querySelector('button').onclick = () => { deleted.push(...orders.splice(at, 1)); draw() }
  }
  function draw() {
    for (const [at, row] of [...table.rows].entries())
      if (at < orders.length) row.cells[0].textContent = 'Order ' + orders[at]
      else row.remove()
  }
  draw()`)

const deleted = (driver: Driver) => driver.page.evaluate<number[]>('deleted')

/** Deletes every tenth order by the numbers of one snapshot. Returns those that were refused. */
async function deleteTwenty(driver: Driver): Promise<number[]> {
  await driver.look({ max_chars: 100_000 })
  const refused: number[] = []
  for (let order = 1105; order < 1300; order += 10) {
    const index = await driver.index(`"Order ${order}"`)
    const { code } = await driver.failure(driver.act({ action: 'click', index }))
    if (code !== 'none') expect(code).toBe('stale_index')
    if (code !== 'none') refused.push(order)
  }
  return refused
}

const twenty = Array.from({ length: 20 }, (_, at) => 1105 + at * 10)

test('twenty of 200 moving rows are deleted by the numbers of one snapshot', async () => {
  const driver = await bench.open('words')
  await driver.page.setContent(keyed)
  expect(await deleteTwenty(driver)).toEqual([])
  expect(await deleted(driver)).toEqual(twenty)
})

test('a row reused for another order is refused, and the wrong one is never deleted', async () => {
  const driver = await bench.open('words')
  await driver.page.setContent(reused)
  const refused = await deleteTwenty(driver)
  expect((await deleted(driver)).every((order) => twenty.includes(order))).toBe(true)
  expect(refused.length + (await deleted(driver)).length).toBe(20)
})

test('a difference renumbers nothing', async () => {
  const driver = await bench.open('words')
  await driver.page.setContent('<button id=save>Save</button>')
  await driver.look()
  const before = await driver.index('Save')
  await driver.page.evaluate(`document.body.insertAdjacentHTML('afterbegin', '<button>Delete all</button>')`)
  expect(await driver.look({ diff: true })).not.toContain('Save')
  await driver.look()
  expect(await driver.index('Save')).toBe(before)
})

test('a running clock does not invalidate a number; a changed label does, once', async () => {
  const driver = await bench.open('words')
  await driver.page.setContent(`<button id=out>Resend in 30 s</button><button id=more>Order 1115</button>`)
  await driver.look()
  await driver.page.evaluate(`out.textContent = 'Resend in 12 s'; more.textContent = 'Order 1116'`)
  await driver.on('Resend', 'click')
  const index = await driver.index('Order 1115')
  await expect(driver.act({ action: 'click', index })).rejects.toMatchObject({
    code: 'stale_index',
    message: expect.stringContaining('is now "Order 1116"'),
  })
  await driver.act({ action: 'click', index })
})

/** Each time the pointer reaches a row, the page renders the next order into it, as after an update from its server. */
const changing = `<table id=table></table><script>
  const deleted = []
  for (let order = 1100; order < 1110; order += 1) {
    const row = table.insertRow()
    row.innerHTML = '<td>Order ' + order + '<td><button>Delete</button><input type=checkbox aria-label=Sent>'
    row.onmouseenter = () => { row.cells[0].textContent = 'Order ' + (order + 100) }
    row.onclick = ({ target }) => deleted.push(target.localName + ' ' + row.cells[0].textContent)
  }</script>`

test('a row that becomes another while the pointer is on its way is refused', async () => {
  const driver = await bench.open('words')
  await driver.page.setContent(changing)
  await driver.look()
  const acts: [string, string][] = [
    ['click', 'Delete (button, in "Order 1101"'],
    ['double_click', 'Delete (button, in "Order 1102"'],
    ['right_click', 'Delete (button, in "Order 1103"'],
    ['check', 'Sent (checkbox, in "Order 1104'],
    ['drag_and_drop', 'Delete (button, in "Order 1105"'],
  ]
  for (const [action, line] of acts) {
    const index = await driver.index(line)
    const end = action === 'drag_and_drop' ? { delta_x: 0, delta_y: 40 } : {}
    await expect(driver.act({ action, index, ...end }), action).rejects.toMatchObject({
      code: 'stale_index',
      message: expect.stringMatching(/was .* and is now .*Order 120\d/),
    })
  }
  expect(await deleted(driver)).toEqual([])
})

/** A page that never rests, and moves on by a row just before the first three presses. */
const moving = `<style>td { height: 30px } @keyframes shake { to { transform: translateX(2px) } } table { position: relative; animation: shake 0.2s infinite alternate }</style>
  <table id=table></table><script>
  const deleted = []
  for (let order = 1100; order < 1110; order += 1) {
    const row = table.insertRow()
    row.innerHTML = '<td>Order ' + order + '<td><button>Delete</button>'
    row.querySelector('button').onclick = () => deleted.push(order)
  }
  let moves = 0
  table.onmousemove = () => { if (moves < 3) table.style.top = -40 * ++moves + 'px' }</script>`

test('a row that moves away from under the pointer is pressed where it is now', async () => {
  const driver = await bench.open('words')
  await driver.page.setContent(moving)
  await driver.look()
  await driver.act({ action: 'click', index: await driver.index('Order 1106') })
  expect(await deleted(driver)).toEqual([1106])
})

test('a press that changes its own element, or is repeated on it, is not refused', async () => {
  const driver = await bench.open('words')
  await driver.page.setContent(`<button id=one onmousedown="this.textContent = 'Down'" onclick="this.textContent += '-clicked'">Up</button>
    <button id=two onclick="this.textContent = 'Sure?'" ondblclick="this.textContent += '-twice'">Delete</button>
    <button id=three onpointerdown="event.stopPropagation(); this.textContent = 'Hide'" onclick="this.textContent += '-clicked'">Show</button>`)
  await driver.look()
  await driver.on('Up', 'click')
  await driver.on('Show', 'click')
  await driver.on('Delete', 'double_click')
  expect(await driver.page.evaluate('[one, two, three].map((each) => each.textContent)')).toEqual([
    'Down-clicked',
    'Sure?-twice',
    'Hide-clicked',
  ])
})

test('what a page changes between the press and its release is not pressed; an element that only moves is', async () => {
  const driver = await bench.open('words')
  await driver.page.setContent(`<script>const said = []</script>
    <button onmouseup="this.textContent = 'Delete Bob'" onclick="said.push(this.textContent)">Delete Ann</button>
    <button onpointerup="this.textContent = 'Delete all'" onmouseup="said.push(this.textContent)" onclick="said.push(this.textContent)">Delete one</button>
    <button onmousedown="this.textContent = 'Pressed'" onmouseup="this.textContent = 'Send'" onclick="said.push('sent')">Send</button>
    <button onmouseup="this.style.marginTop = '90px'" onclick="said.push('moved')">Move</button>`)
  await driver.look()
  const refused = (now: string) => ({ code: 'stale_index', message: expect.stringContaining(now) })
  await expect(driver.on('Delete Ann', 'click')).rejects.toMatchObject(refused('Delete Bob'))
  await expect(driver.on('Delete one', 'click')).rejects.toMatchObject(refused('Delete all'))
  await driver.on('Send', 'click')
  await driver.on('Move', 'click')
  expect(await driver.page.evaluate('said')).toEqual(['sent', 'moved'])
})

test('a number whose new line was left out still means what was shown', async () => {
  const driver = await bench.open('words')
  await driver.page.setContent(reused)
  await driver.look({ max_chars: 100_000 })
  const [first, last] = [await driver.index('"Order 1101"'), await driver.index('"Order 1290"')]
  await driver.page.evaluate('orders.shift(); draw()')
  expect(await driver.look({ diff: true, max_chars: 1_000 })).toContain('"Order 1102"')
  expect(driver.text).toContain('more elements')
  await expect(driver.act({ action: 'click', index: last })).rejects.toMatchObject({ code: 'stale_index' })
  await driver.act({ action: 'click', index: first })
  expect(await deleted(driver)).toEqual([1102])
  expect(await driver.look({ diff: true, max_chars: 100_000 })).toContain('"Order 1298"')
})
