import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { consolidate } from '../../handlers/memory/jobs.ts'
import { call } from '../support/call.ts'
import { chat } from '../support/chat.ts'
import { testDaemon } from '../support/daemon.ts'
import { dataFolder } from '../support/daemon-process.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

test('a daemon announces its start and its stop', async () => {
  const folder = dataFolder()
  await (await testDaemon({ env: { SERVICE_DATA_DIR: folder } })).close()
  const again = await testDaemon({ env: { SERVICE_DATA_DIR: folder } })
  const rows = await again.host.sql.read(`SELECT type, owner_id FROM events WHERE type LIKE 'daemon.%' ORDER BY seq`)
  await again.close()
  await rm(folder, { recursive: true, force: true })
  const of = (type: string) => ({ type, owner_id: null })
  expect(rows).toEqual([of('daemon.started'), of('daemon.stopping'), of('daemon.started')])
})

test('a tool is announced before and after it runs', async () => {
  const host = await testHost({ models: scriptedModels(toolCall('time', {}), text('Six.')) })
  await chat(host, { message: 'What time is it?' })
  expect(host.events.filter((type) => type.startsWith('tool.'))).toEqual(['tool.before', 'tool.after'])
})

test('a consolidation of the memory is announced', async () => {
  const host = await testHost()
  await call(consolidate, host, { body: {} })
  await workOff(host)
  expect(host.events).toContain('memory.consolidated')
})
