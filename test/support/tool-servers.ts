import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createToolServers, type NodeToolServers } from '../../adapters/mcp/tool-servers.ts'
import { createFakeClock, type FakeClock } from '../../adapters/memory/clock.ts'
import { createMemoryLog } from '../../adapters/memory/log.ts'
import { createOutbound } from '../../adapters/outbound/outbound.ts'

export interface ToolServersOfTest extends NodeToolServers {
  clock: FakeClock
  log: ReturnType<typeof createMemoryLog>
}

/** The real connections, with a clock that is advanced by hand; they go away with the test. */
export function testToolServers(): ToolServersOfTest {
  const clock = createFakeClock()
  const log = createMemoryLog()
  const outbound = createOutbound()
  const servers = createToolServers({ clock, log, outbound, version: '0.0.0' })
  onTestFinished(async () => {
    await servers.close()
    await outbound.close()
  })
  return Object.assign(servers, { clock, log })
}

export interface ChangeableTool {
  name: string
  description: string
  inputSchema?: Record<string, unknown>
  annotations?: Record<string, boolean>
}

/** A tool server whose tools a test may change under its hands. */
export function changeableServer(tools: ChangeableTool[]) {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-test-mcp-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'tools.json')
  const describe = (now: ChangeableTool[]) =>
    writeFileSync(file, JSON.stringify(now.map((tool) => ({ inputSchema: { type: 'object' }, ...tool }))))
  describe(tools)
  return {
    file,
    command: process.execPath,
    args: [join(import.meta.dirname, '..', 'fixtures', 'mcp', 'changeable.ts'), file],
    describe,
    pid: () => Number(readFileSync(`${file}.pid`, 'utf8')),
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
