import { expect, test } from 'vitest'
import * as users from '../../handlers/auth/users.ts'
import * as groups from '../../handlers/devices/groups.ts'
import * as hooks from '../../handlers/hooks/hooks.ts'
import * as incoming from '../../handlers/hooks/incoming.ts'
import * as webhooks from '../../handlers/hooks/webhooks.ts'
import * as episodes from '../../handlers/memory/episodes.ts'
import * as alerts from '../../handlers/monitoring/alerts.ts'
import * as budgets from '../../handlers/monitoring/budgets.ts'
import * as projects from '../../handlers/projects/projects.ts'
import * as jobs from '../../handlers/scheduler/jobs.ts'
import * as skills from '../../handlers/settings/skills.ts'
import { alertHost, lowDisk } from '../monitoring/alert-kit.ts'
import { call } from '../support/call.ts'

const skillFile = '---\nname: verses\ndescription: Answers in verse. Use for birthdays.\n---\n\nSay it in verse.\n'
const user = { username: 'ann', password: 'correct horse battery', role: 'user' }
const budget = { scope: { kind: 'global' }, window: 'day', limit_usd: 1, action: 'warn' }

test.each([
  [
    'hook',
    hooks.create,
    hooks.update,
    { events: ['chain.*'], action: { kind: 'notify', message: 'x' }, name: 'a' },
    { name: 'b' },
    { enabled: false },
  ],
  [
    'webhook',
    webhooks.create,
    webhooks.update,
    { name: 'a', url: 'https://example.org/', events: ['chain.*'] },
    { name: 'b' },
    { enabled: false },
  ],
  [
    'incoming webhook',
    incoming.create,
    incoming.update,
    { name: 'a', auth: { kind: 'none' } },
    { name: 'b' },
    { enabled: false },
  ],
  ['alert', alerts.create, alerts.update, lowDisk, { name: 'b' }, { period_minutes: 7 }],
  ['budget', budgets.create, budgets.update, budget, { limit_usd: 5 }, { window: 'month' }],
  [
    'project',
    projects.create,
    projects.update,
    { name: 'a', description: 'A shop' },
    { name: 'b' },
    { description: 'A bar' },
  ],
  [
    'job',
    jobs.create,
    jobs.update,
    { name: 'a', goal: 'Look', schedule: { type: 'at', datetime: '2099-01-01T00:00:00Z' } },
    { name: 'b' },
    { goal: 'See' },
  ],
  [
    'skill',
    skills.create,
    skills.update,
    { content: skillFile },
    { content: skillFile.replace('verses', 'rhymes') },
    { enabled: false },
  ],
  ['episode', episodes.create, episodes.update, { content: 'Tea' }, { content: 'Coffee' }, { importance: 0.9 }],
  ['device group', groups.createGroup, groups.updateGroup, { name: 'a' }, { name: 'b' }, { description: 'Two' }],
  ['user', users.create, users.update, user, { role: 'admin' }, { display_name: 'Ann' }],
] as const)('of two changes of a %s at once both are kept', async (_, create, update, body, first, second) => {
  const host = await alertHost()
  const made = await call(create, host, { body })
  expect([made.status, await made.clone().text()]).toEqual([201, expect.any(String)])
  const { id } = await made.json()
  const changes = [first, second]
  const answers = await Promise.all(changes.map((change) => call(update, host, { params: { id }, body: change })))
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const last = await (await call(update, host, { params: { id }, body: {} })).json()
  expect(last).toMatchObject({ ...first, ...second })
})
