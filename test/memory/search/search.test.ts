import { expect, test } from 'vitest'
import { create, update } from '../../../handlers/memory/episodes.ts'
import { addAgent } from '../../../runtime/agents/agents.ts'
import { NewAgent } from '../../../runtime/agents/schema.ts'
import { contextOf } from '../../../runtime/http/serve.ts'
import { visibleTo } from '../../../runtime/memory/search/search.ts'
import { memorySettings } from '../../../runtime/memory/settings.ts'
import { changeSection } from '../../../runtime/settings/section.ts'
import { call } from '../../support/call.ts'
import { peer, testHost } from '../../support/host.ts'
import { contents, find, hostWith } from './support.ts'

test('answers a question with what has its words, best first, between 0 and 1', async () => {
  const host = await hostWith(
    'Anna sails a boat',
    'Anna has a boat named Boaty, a boat of wood',
    'Ben likes tea',
  )
  const found = await find(host, "What is the name of Anna's boat?")

  expect(contents(found)).toEqual(['Anna has a boat named Boaty, a boat of wood', 'Anna sails a boat'])
  expect(found.total).toBe(2)
  for (const { score, source } of found.results) {
    expect(source).toBe('keyword')
    expect(score).toBeGreaterThan(0)
    expect(score).toBeLessThanOrEqual(1)
  }
})

test('finds other forms of a word, and a topic', async () => {
  const host = await hostWith('She was running in the park')
  await call(create, host, { body: { content: 'Rex barks', topics: ['pets & dogs'] } })

  expect(contents(await find(host, 'runs'))).toEqual(['She was running in the park'])
  const [dog] = (await find(host, 'dog')).results
  expect(dog).toMatchObject({
    episode: { content: 'Rex barks', entities: [] },
    highlights: ['pets &amp; <mark>dogs</mark>'],
  })
})

test('highlights what matched, and nothing in it is markup but the marks', async () => {
  const host = await hostWith(`The <img src=x onerror="alert('tea')"> of green tea`)
  const { results } = await find(host, 'tea')

  expect(results[0]?.highlights).toEqual([
    'The &lt;img src=x onerror=&quot;alert(&#39;<mark>tea</mark>&#39;)&quot;&gt; of green <mark>tea</mark>',
  ])
})

test('age and importance decide between equals, and no more', async () => {
  const host = await testHost()
  await call(create, host, { body: { content: 'the boat is blue', importance: 1 } })
  await call(create, host, { body: { content: 'the boat is teal', importance: 0 } })
  host.clock.jump(365 * 24 * 60 * 60 * 1000)
  await call(create, host, { body: { content: 'the boat is grey', importance: 1 } })
  await call(create, host, {
    body: { content: 'some words about something else but with a boat', importance: 1 },
  })

  expect(contents(await find(host, 'boat'))).toEqual([
    'the boat is grey',
    'the boat is blue',
    'the boat is teal',
    'some words about something else but with a boat',
  ])
})

test('finds the new words of a changed episode and not the old', async () => {
  const host = await hostWith('likes tea')
  const { results } = await find(host, 'tea')
  await call(update, host, {
    params: { id: results[0]?.episode.id ?? '' },
    body: { content: 'likes coffee' },
  })

  expect((await find(host, 'tea')).total).toBe(0)
  expect((await find(host, 'coffee')).total).toBe(1)
})

test('an agent sees its own episodes; sharing ones see those of all who share', async () => {
  const host = await testHost()
  const context = contextOf(new Request('http://127.0.0.1:18781/'), host, peer)
  const add = (name: string, scope: string) => addAgent(context, NewAgent.parse({ name, memory: { scope } }))
  const [hermit, one, two] = [
    await add('Hermit', 'own'),
    await add('One', 'shared'),
    await add('Two', 'shared'),
  ]

  expect(await visibleTo(host, hermit)).toEqual([hermit.id])
  expect((await visibleTo(host, one)).toSorted()).toEqual([one.id, two.id].toSorted())
  await changeSection(context, memorySettings, { share_between_agents: false })
  expect(await visibleTo(host, one)).toEqual([one.id])
})
