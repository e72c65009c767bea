import { expect, test } from 'vitest'
import * as plan from '../../handlers/projects/plan.ts'
import * as projects from '../../handlers/projects/projects.ts'
import { eventsTopic } from '../../runtime/events/event.ts'
import type { Host } from '../../runtime/host.ts'
import { call } from '../support/call.ts'
import { workOff } from '../support/work.ts'
import { approved, plannedProject, planStep, projectHost } from './kit.ts'

interface Received {
  id: string | undefined
  event: string
  data: Record<string, unknown>
}

/** Reads a stream until its end, or until `count` events came. */
async function read(response: Response, count = Number.POSITIVE_INFINITY): Promise<Received[]> {
  const received: Received[] = []
  let text = ''
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    text += value ?? ''
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
      const event = field('event')
      if (event) received.push({ id: field('id'), event, data: JSON.parse(field('data') ?? '{}') })
    }
    if (!done && received.length < count) continue
    await reader?.cancel()
    return received.slice(0, count)
  }
}

const follow = (host: Host, id: string, last?: string) =>
  call(projects.events, host, {
    params: { id },
    headers: last === undefined ? {} : { 'last-event-id': last },
  })

async function startedProject() {
  const { host } = await projectHost(planStep({ a: { title: 'A' }, b: { title: 'B', depends_on: ['a'] } }))
  const planned = await plannedProject(host)
  return { host, id: planned.id }
}

test('a stream begins with a snapshot, shows every change and ends with the project', async () => {
  const { host, id } = await startedProject()
  const stream = read(await follow(host, id))
  await approved(host, id)
  const received = await stream
  expect(received[0]).toMatchObject({ event: 'snapshot', data: { id, status: 'pending' } })
  expect(received.at(-1)).toMatchObject({ event: 'done', data: { status: 'completed' } })
  const names = received.map(({ event }) => event)
  expect(names).toContain('task.output')
  const documented = 'snapshot project.updated plan.updated phase.updated task.created task.updated task.output'
  const allowed = `${documented} task.log approval.required done`.split(' ')
  expect(names.filter((name) => !allowed.includes(name))).toEqual([])
  expect(received.filter(({ id: position }) => position === undefined)).toEqual([])
})

test('a client that reconnects after any event misses nothing and gets nothing twice', async () => {
  const { host, id } = await startedProject()
  const whole = read(await follow(host, id))
  await approved(host, id)
  const all = (await whole).filter((received) => received.id !== undefined)
  for (const [index, { id: last }] of all.slice(0, -1).entries()) {
    const rest = await read(await follow(host, id, last))
    expect(rest.filter((received) => received.id !== undefined)).toEqual(all.slice(index + 1))
    expect(rest.at(-1)?.event).toBe('done')
  }
})

test('a client whose events are no longer buffered gets a new snapshot', async () => {
  const { host, id } = await startedProject()
  for (let count = 0; count < 2_100; count += 1)
    host.bus.publish(eventsTopic, { type: 'project.updated', ts: '', data: { project_id: 'proj_other' } })
  const [first] = await read(await follow(host, id, '1'), 1)
  expect(first).toMatchObject({ event: 'snapshot', data: { id } })
})

test('the stream of a deleted project ends', async () => {
  const { host, id } = await startedProject()
  const stream = read(await follow(host, id))
  await call(projects.remove, host, { params: { id } })
  await workOff(host)
  expect((await stream).at(-1)).toMatchObject({ event: 'done', data: { status: 'deleted' } })
  expect((await call(plan.showPlan, host, { params: { id } })).status).toBe(404)
})
