import { expect, test } from 'vitest'
import { z } from 'zod'
import { Fault } from '../../runtime/fault.ts'
import { type Endpoint, endpoint } from '../../runtime/http/endpoint.ts'
import { Reply } from '../../runtime/http/returns.ts'
import { fuzz } from './fuzz/gate.ts'
import { tableOf } from './fuzz/target.ts'

const Thing = z.object({ name: z.string().max(50), size: z.number().int().min(0) })

type Thing = z.output<typeof Thing>

const plant = (run: (name: string, size: number) => Thing | Reply<Thing>): Endpoint =>
  endpoint('PUT /api/things/{id}', {
    summary: 'Change a thing',
    params: z.object({ id: z.string() }),
    body: Thing,
    returns: Thing,
    run: ({ body }) => run(body.name, body.size),
  })

const found = (planted: Endpoint) => fuzz(planted, tableOf([planted]))
const answer = (name: string, size: number) => ({ name, size })

test('a correct endpoint passes', async () => {
  await found(plant(answer))
})

test('a crash on unusual text is found', async () => {
  const planted = plant((name, size) => answer(decodeURIComponent(name), size))
  await expect(found(planted)).rejects.toThrow('Property failed')
})

test('a name looked up in a plain object is found', async () => {
  const colours: Record<string, string[]> = { tea: ['green', 'black'] }
  const planted = plant((name, size) => answer(name in colours ? (colours[name]?.join() ?? '') : name, size))
  await expect(found(planted)).rejects.toThrow('Property failed')
})

test('an error with its own shape is found', async () => {
  const planted = plant((name, size) =>
    size > 10 ? new Reply({ error: 'too big' } as never, { status: 400 }) : answer(name, size),
  )
  await expect(found(planted)).rejects.toThrow('Property failed')
})

test('an undeclared failure is found, and a declared one is not', async () => {
  const refuse = (code: string) =>
    plant(() => {
      throw new Fault(503, code, 'Not here')
    })
  await expect(found(refuse('broken'))).rejects.toThrow('Property failed')
  await found(refuse('unsupported'))
})
