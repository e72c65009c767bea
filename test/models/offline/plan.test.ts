import { expect, test } from 'vitest'
import { planOffline } from '../../../runtime/models/offline/plan.ts'

/** Tasks as "title < dependencies". */
const plans: [string, string, string[]][] = [
  [
    'Plan a trip to Rome: book flights, find a hotel, then pack',
    'A trip to Rome',
    ['Book flights', 'Find a hotel', 'Pack < 0 1'],
  ],
  ['1. Write the spec\n2. Build it\n3. Test it', 'Write the spec', ['Write the spec', 'Build it < 0', 'Test it < 1']],
  [
    'Make a plan for moving house: 1) find a flat 2) hire movers 3) pack',
    'Moving house',
    ['Find a flat', 'Hire movers < 0', 'Pack < 1'],
  ],
  [
    'Launch the site:\n- buy a domain\n- write the copy\n- then deploy',
    'Launch the site',
    ['Buy a domain', 'Write the copy', 'Deploy < 0 1'],
  ],
  [
    'First research competitors. Then write a report. Finally send it to Anna.',
    'First research competitors',
    ['Research competitors', 'Write a report < 0', 'Send it to Anna < 1'],
  ],
  [
    'Research the market and write a summary, then email it to Bob',
    'Research the market and write a summary, then email it to Bob',
    ['Research the market', 'Write a summary', 'Email it to Bob < 0 1'],
  ],
  // A condition stays with its step.
  [
    'Wash the car before painting the door',
    'Wash the car before painting the door',
    ['Wash the car before painting the door'],
  ],
  [
    'After packing the bags, lock the door',
    'After packing the bags, lock the door',
    ['After packing the bags, lock the door'],
  ],
  [
    'Collect quotes; compare prices; meanwhile ask the bank; finally sign the contract',
    'Collect quotes; compare prices; meanwhile ask the bank; finally sign the contract',
    ['Collect quotes', 'Compare prices', 'Ask the bank', 'Sign the contract < 0 1 2'],
  ],
  ['Buy milk, eggs and bread', 'Buy milk, eggs and bread', ['Buy milk, eggs and bread']],
  ['build a website for my bakery', 'Build a website for my bakery', ['Build a website for my bakery']],
  ['', '', []],
  ['???', '', []],
]

test.each(plans)('%s', (goal, summary, tasks) => {
  const plan = planOffline(goal)

  expect(plan.summary).toBe(summary)
  expect(
    plan.tasks.map(({ title, depends_on }) =>
      [title, ...(depends_on.length > 0 ? ['<', ...depends_on] : [])].join(' '),
    ),
  ).toEqual(tasks)
})

test('a task only waits for earlier tasks, and a plan has at most a hundred', () => {
  const { tasks } = planOffline(Array.from({ length: 300 }, (_, index) => `${index + 1}. Do thing ${index}`).join('\n'))

  expect(tasks).toHaveLength(100)
  for (const [index, { depends_on }] of tasks.entries())
    expect(depends_on.every((position) => position < index)).toBe(true)
})
