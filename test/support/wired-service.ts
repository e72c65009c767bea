import { afterAll } from 'vitest'
import { Service } from '../faults/service.ts'
import { startWire, type Wire } from '../fixtures/wire/index.ts'

/** A daemon in a process of its own with a wire as its provider, for all tests of the file that calls it. */
export async function wiredService(
  options: Parameters<typeof startWire>[0] = {},
  env: Record<string, string> = {},
): Promise<{ service: Service; wire: Wire }> {
  const wire = await startWire(options)
  afterAll(() => wire.close())
  const service = await Service.start(env)
  afterAll(() => service.kill())
  await service.use(wire)
  return { service, wire }
}
