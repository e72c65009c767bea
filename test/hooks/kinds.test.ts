import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { areas } from '../../handlers/index.ts'
import { eventTypes } from '../../runtime/events/types.ts'

/** The kinds of events that the specification lists. */
const specified =
  `daemon.started daemon.stopping conversation.created conversation.deleted message.received message.sent
  agent.run.started agent.run.finished agent.run.failed tool.before tool.after tool.denied approval.requested
  approval.resolved job.run.started job.run.finished job.run.failed job.run.missed project.created project.completed
  project.failed task.completed task.failed workflow.run.started workflow.run.finished workflow.run.failed
  loop.iteration loop.finished memory.episode.created memory.consolidated device.connected device.disconnected
  device.event channel.message.received channel.error browser.recording.finished alert.fired alert.resolved
  provider.failover provider.returned budget.warning budget.exceeded file.uploaded file.deleted check_in.armed
  check_in.delivered feature.installed`.split(/\s+/)

const top = fileURLToPath(new URL('../../runtime/', import.meta.url))
const code = globSync('**/*.ts', { cwd: top })
  .filter((file) => !/(^|\/)events\.ts$/.test(file))
  .map((file) => readFileSync(`${top}${file}`, 'utf8'))

test('every kind that the specification lists can be chosen', async () => {
  expect(await eventTypes({ areas })).toEqual(expect.arrayContaining(specified))
})

test('the code names every type that an area declares, so that it can happen', async () => {
  const maps = await Promise.all(areas.map((area) => ('events' in area ? area.events() : {})))
  const types = maps.flatMap((map) => Object.keys(map))
  const isNamed = (type: string) => {
    // Some are put together, from the kind of a thing and what happened to it.
    const built = [`${type.replace(/^\w+/, '}')}\``, `\`${type.replace(/\w+$/, '${')}`]
    const [, changed] = type.match(/^(.+)\.(?:created|updated|deleted)$/) ?? []
    const names = [`'${type}'`, ...built, ...(changed ? [`events: { type: '${changed}'`] : [])]
    return code.some((text) => names.some((name) => text.includes(name)))
  }
  expect(types.filter((type) => !isNamed(type))).toEqual([])
})
