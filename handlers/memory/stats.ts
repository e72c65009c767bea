import { endpoint } from '../../runtime/http/endpoint.ts'
import { MemoryStats } from '../../runtime/memory/schema.ts'
import { memoryStats } from '../../runtime/memory/store.ts'

export const stats = endpoint({
  method: 'GET',
  path: '/api/memory/stats',
  summary: 'What the memory holds, in numbers',
  returns: MemoryStats,
  async run(_, context) {
    return memoryStats(context)
  },
})
