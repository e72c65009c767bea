import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ExecutionSummary, Workflow } from '../../runtime/workflows/schema.ts'
import { eventually } from '../support/daemon-process.ts'
import { drawn } from '../workflows/kit.ts'
import { seeded } from './random.ts'
import { Service } from './service.ts'

/** Kills while forms are answered; more of them with the variable KILLS, other moments with SEED. */
const kills = Number(process.env.KILLS ?? 2)
const seed = Number(process.env.SEED ?? 20261128)
const people = 100

/** Asks for a name, and then for a choice. */
const asking = (choose: { type: string; params: object }, output: string, choice: string) =>
  drawn(
    {
      go: { type: 'trigger.form', params: { fields: [{ name: 'name' }] } },
      choose,
      both: { type: 'set', params: { values: { name: '=nodes.go.output.name', choice } } },
    },
    ['go → choose', `choose:${output} → both`],
  )

const fields = [{ name: 'choice' }]
const form = asking({ type: 'form', params: { fields } }, 'main', '=input.choice')
const approval = asking(
  { type: 'approval', params: { message: 'Which one?', fields, by_link: true } },
  'true',
  '=input.values.choice',
)

let service: Service

beforeAll(async () => {
  service = await Service.start()
})

afterAll(() => service.kill())

/** Sends an answer; null if the daemon died before it has said what it did with it. */
const sent = (path: string, values: Record<string, string>): Promise<Response | null> =>
  fetch(service.url + path, { method: 'POST', redirect: 'manual', body: new URLSearchParams(values) }).catch(() => null)

/** Its page, once it is asked for the choice. */
const choiceOf = (path: string): Promise<string> =>
  eventually(async () => {
    const html = await (await fetch(service.url + path)).text()
    return /name="page" value="([^"]+)"/.exec(html)?.[1] ?? null
  })

async function executionsOf(id: string): Promise<ExecutionSummary[]> {
  const path = `/api/workflows/${id}/executions?limit=200`
  return (await service.read<{ executions: ExecutionSummary[] }>('GET', path)).executions
}

/** The address at which an approval is answered, which is not that of its forms. */
async function takeAddress(id: string, pages: Map<string, string>): Promise<void> {
  const path = `/api/workflows/executions/${id}`
  const { input, resume_path } = await service.read<{ input: { name: string }; resume_path: string }>('GET', path)
  pages.set(input.name, resume_path)
}

test.each([
  ['forms', form, {}],
  ['approvals', approval, { choice: 'Approve' }],
])(`${people} waiting %s survive ${kills} kills, and each is answered once`, async (kind, asking, chosen) => {
  const random = seeded(seed)
  const { id } = await service.read<Workflow>('POST', '/api/workflows', asking)
  await service.read('POST', `/api/workflows/${id}/activate`)
  const { triggers } = await service.read<{ triggers: { path: string }[] }>('GET', `/api/workflows/${id}/triggers`)
  const names = Array.from({ length: people }, (_, index) => `person ${index}`)
  const pages = new Map<string, string>()
  await Promise.all(
    names.map(async (f0) => {
      const response = await sent(triggers[0]?.path ?? '', { f0 })
      expect(response?.status).toBe(303)
      pages.set(f0, response?.headers.get('location') ?? '')
    }),
  )
  await eventually(async () => (await executionsOf(id)).every(({ status }) => status === 'waiting'))
  if (kind === 'approvals') for (const { id: execution } of await executionsOf(id)) await takeAddress(execution, pages)
  await service.kill()
  await service.restart()

  /** By person, the choice of which the daemon said that it was taken. */
  const taken = new Map<string, string>()
  const ids = new Map<string, string>()
  for (const [name, path] of pages) ids.set(name, await choiceOf(path))
  for (let kill = 0; kill <= kills; kill += 1) {
    const open = names.filter((name) => !taken.has(name))
    const answers = open.flatMap((name) =>
      ['left', 'right'].map(async (side) => {
        const f0 = `${side} ${kill}`
        const response = await sent(pages.get(name) ?? '', { page: ids.get(name) ?? '', f0, ...chosen })
        if (response?.status !== 303) return
        expect(taken.get(name)).toBeUndefined()
        taken.set(name, f0)
      }),
    )
    if (kill < kills) {
      await sleep(random() * 300)
      await service.kill()
    }
    await Promise.all(answers)
    if (kill < kills) await service.restart()
  }

  const done = await eventually(async () => {
    const list = await executionsOf(id)
    return list.every(({ status }) => status === 'succeeded') && list
  })
  expect(done).toHaveLength(people)
  const choices = new Map<string, string>()
  for (const { id: execution } of done) {
    const { output } = await service.read<{ output: { name: string; choice: string } }>(
      'GET',
      `/api/workflows/executions/${execution}`,
    )
    choices.set(output.name, output.choice)
  }
  expect([...choices.keys()].sort()).toEqual(names.toSorted())
  for (const [name, choice] of taken) expect(choices.get(name)).toBe(choice)
})
