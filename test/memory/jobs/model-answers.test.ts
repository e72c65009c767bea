import { expect, test } from 'vitest'
import { nameLimit } from '../../../runtime/memory/graph/names.ts'
import { seeded } from '../../faults/random.ts'
import { type Step, text } from '../../support/models.ts'
import { graphOf, store } from '../graph/support.ts'
import { hostWithModel, run } from './support.ts'

const rounds = 80

const odd: readonly unknown[] = [
  null,
  '',
  ' ',
  0,
  -1,
  1e308,
  true,
  [],
  {},
  [[[]]],
  'Anna',
  'Änna’s',
  '\u0000Anna',
  '\ud800',
  '\u202eannA',
  'x'.repeat(5_000),
  '2024-13-45',
  '2024-02',
  '9999-12-31',
  '-000001-01-01',
  '__proto__',
  'constructor',
  "'); DROP TABLE entities; --",
  '</untrusted>',
  '%',
]

/** An answer of the right form, or nearly, with odd values in odd places. */
function oddAnswer(random: () => number): Step {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const value = (usual: unknown) => (random() < 0.5 ? usual : pick(odd))
  const many = (make: () => unknown) => Array.from({ length: Math.floor(random() * 40) }, make)
  const entity = () => ({ name: value('Anna'), type: value('person') })
  const fact = () => ({
    subject: value('Anna'),
    predicate: value(pick(['works_at', 'lives in', 'likes'])),
    object: value(pick(['Acme', 'Bonn'])),
    fact: value('so it is'),
    valid_at: value('2020-01-01'),
    invalid_at: value(null),
  })
  const item = () => ({
    number: value(1),
    summary: value('a summary'),
    topics: value(['a', pick(odd)]),
    entities: value(many(entity)),
    facts: value(many(fact)),
  })
  const json = JSON.stringify({ episodes: value([item(), item()]) })
  const cut = random() < 0.2 ? json.slice(0, Math.floor(random() * json.length)) : json
  return text(random() < 0.3 ? `Sure!\n\`\`\`json\n${cut}\n\`\`\`` : cut)
}

test('whatever a model answers, the job ends well and the graph is whole', async () => {
  const random = seeded(7)
  const { host } = await hostWithModel(...Array.from({ length: rounds }, () => oddAnswer(random)))
  const { id } = await store(host, 'Anna works at Acme')
  for (let round = 0; round < rounds; round += 1) {
    await host.sql.write([
      {
        sql: 'UPDATE episodes SET content = ?, updated_at = ? WHERE id = ?',
        args: [`Anna ${round}`, `2026-02-${round}`, id],
      },
    ])
    expect(await run(host, 'consolidate')).toMatchObject({ status: 'done', error: null })
    const { nodes, edges, total_edges } = await graphOf(host, { limit: '1000' })
    const ids = new Set(nodes.map((node) => node.id))
    expect(edges.every(({ source, target }) => ids.has(source) && ids.has(target))).toBe(true)
    expect(edges).toHaveLength(total_edges)
    expect(
      nodes.filter(({ name, mentions }) => name === '' || name.length > nameLimit || mentions < 1),
    ).toEqual([])
    expect(JSON.stringify({ nodes, edges })).not.toMatch(/\\u0000|\\ud800/)
  }
})
