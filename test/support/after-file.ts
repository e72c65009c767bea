import { afterAll, beforeAll } from 'vitest'
import { endProcesses } from './daemon-process.ts'
import { forgetFailedLoads } from './failed-loads.ts'

// Files share a process, so what a file of helpers says once would hold for the first test file alone.
beforeAll(forgetFailedLoads)
afterAll(endProcesses)
