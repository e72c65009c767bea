import { expect, test } from 'vitest'
import { ask, user } from './kit.ts'

test.each([
  ['Write a file a.txt with the text: alpha', 'alpha'],
  ['Write a file a.txt with the content: alpha', 'alpha'],
  ['Create a file called a.txt with content: alpha', 'alpha'],
  ['Write a file a.txt containing: alpha', 'alpha'],
  ['Write a file a.txt containing the words alpha and beta', 'alpha and beta'],
  ['Write a file a.txt saying "alpha: beta"', 'alpha: beta'],
  ['Write a file a.txt saying: "alpha"', 'alpha'],
  ['Write a file a.txt with the text:\nalpha\nbeta', 'alpha\nbeta'],
  ['Write a file a.txt with the following content:\nalpha\nbeta', 'alpha\nbeta'],
  ['Write a file a.txt: alpha', 'alpha'],
  ['Write to a.txt: alpha', 'alpha'],
  ['Write the text: alpha to a.txt', 'alpha'],
  ['Save "the text: alpha" to a.txt', 'the text: alpha'],
  ['Create a.txt with the text: alpha', 'alpha'],
  ['Create a.txt with the text alpha', 'alpha'],
  ['Append the line: alpha to a.txt', 'alpha'],
])('%j stores %j', async (request, content) => {
  const { calls } = await ask([user(request)])
  expect(calls.map(({ name, input }) => ({ name, ...input }))).toMatchObject([
    { name: 'files', path: 'a.txt', content },
  ])
})
