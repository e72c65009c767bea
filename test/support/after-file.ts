import { afterAll } from 'vitest'
import { endProcesses } from './daemon-process.ts'

// Files share a process, so what a file of helpers says once would hold for the first test file alone.
afterAll(endProcesses)
