import { fileURLToPath } from 'node:url'
import { build, stop } from 'esbuild'
import { loadOnce } from '../../runtime/load-once.ts'

const entries = ['web', 'url', 'intl', 'luxon', 'jmespath', 'xml', 'markup', 'items']

/** Scripts by name. */
export type ScriptLibraries = Readonly<Record<string, string>>

/** The libraries for code, from `adapters/script/library`. All are bundled once per process, in about 150 ms beside the event loop. */
export const scriptLibraries = loadOnce(async (): Promise<ScriptLibraries> => {
  const { outputFiles } = await build({
    entryPoints: entries.map((entry) => fileURLToPath(new URL(`../script/library/${entry}.ts`, import.meta.url))),
    outdir: '.',
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: 'es2023',
    // A switch for the measurements of node-html-markdown.
    define: { 'process.env.LOG_PERF': 'undefined' },
  })
  await stop()
  return Object.fromEntries(entries.map((entry, at) => [entry, outputFiles[at]?.text ?? '']))
})
