import { fuzzGate } from './fuzz/gate.ts'

fuzzGate(({ method }) => method !== 'GET')
