import { defineArea } from '../area.ts'

export const sandboxArea = defineArea({
  name: 'sandbox',
  tools: async () => [(await import('./run-code.ts')).runCode],
})
