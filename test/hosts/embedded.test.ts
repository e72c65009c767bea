import { describe, expect, test } from 'vitest'
import { startOtherProgram } from './embedded.ts'
import { hostSuite } from './suite.ts'

describe('inside another program', () => {
  hostSuite(startOtherProgram)
})

test('the other program keeps its own pages on the same origin', async () => {
  const program = await startOtherProgram()
  const textOf = async (path: string) => (await fetch(program.url + path)).text()

  expect(await textOf('/')).toBe('The front page of another program')
  expect(JSON.parse(await textOf('/shop/hours'))).toEqual({ opens: '09:00', closes: '18:00' })
  expect(JSON.parse(await textOf('/health/live'))).toEqual({ status: 'alive' })
  // Before the setup, hearthd refuses everything that it does not know.
  expect(JSON.parse(await textOf('/shop/nothing'))).toEqual({ error: 'Missing Authorization header' })
  await program.close()
})
