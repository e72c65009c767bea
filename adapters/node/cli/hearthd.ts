#!/usr/bin/env node
import { useCompileCache } from './compile-cache.ts'

// Compiled code is kept before anything else is loaded, so everything else is.
useCompileCache()
const { main } = await import('./main.ts')
await main(process.argv)
