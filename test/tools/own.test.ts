import { expect, test } from 'vitest'
import { ToolError } from '../../runtime/tools/tool.ts'
import { toolBench } from './scope.ts'

test('time tells the hour of a zone and the day of the week', async () => {
  const { use } = await toolBench()

  expect(await use('time', { timezone: 'Asia/Tokyo' })).toEqual({
    iso: '2026-01-05T12:00:00.000Z',
    local: '2026-01-05 21:00:00 UTC+09:00',
    timezone: 'Asia/Tokyo',
    weekday: 'Monday',
  })
  expect(await use('time', {})).toMatchObject({ timezone: 'UTC', local: '2026-01-05 12:00:00 UTC+00:00' })
  await expect(use('time', { timezone: 'Mars/Olympus' })).rejects.toThrow(ToolError)
})
