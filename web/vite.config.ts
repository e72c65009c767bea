import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { compressed } from './compressed.ts'

const daemon = process.env.HEARTHD_URL ?? 'http://127.0.0.1:18781'
const forwarded = { target: daemon, changeOrigin: true, ws: true }

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), codeList(), compressed()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // The UI, and the browser client of devices.
    rollupOptions: {
      input: ['index.html', 'device.html'].map((page) => join(import.meta.dirname, page)),
      // One file of what every page and Home need: Home is there with the frame. The page of devices shares the socket only,
      // and what it imported from the file of the UI would start the UI.
      output: {
        codeSplitting: {
          groups: [
            { name: 'socket', test: /[\\/]partysocket[\\/]/ },
            { name: 'core', tags: ['$initial'], test: notOfDevices },
          ],
        },
      },
    },
    modulePreload: {
      polyfill: false,
      // The lists of scripts that each lazy import would preload are kilobytes of file names; the daemon is near.
      resolveDependencies: (_, files, { hostType }) =>
        hostType === 'html' ? files : files.filter((file) => file.endsWith('.css')),
    },
  },
  server: {
    port: 5173,
    strictPort: true,
    proxy: { '/api': forwarded, '/health': forwarded, '/ws': forwarded },
  },
})

function notOfDevices(id: string): boolean {
  return !/[\\/](web[\\/]device[./\\]|runtime[\\/]devices[\\/])/.test(id)
}

/** Writes `code.json`, the addresses of all scripts and style sheets, and the worker of this build, which keeps them. */
function codeList(): Plugin {
  return {
    name: 'hearthd:code-list',
    apply: 'build',
    generateBundle(_, bundle) {
      const code = Object.keys(bundle).filter((name) => /\.(js|css)$/.test(name))
      const source = JSON.stringify(code.map((name) => `/${name}`))
      this.emitFile({ type: 'asset', fileName: 'code.json', source })
      const build = createHash('sha256').update(source).digest('hex').slice(0, 16)
      const worker = readFileSync(join(import.meta.dirname, 'app/worker.js'), 'utf8')
      this.emitFile({ type: 'asset', fileName: 'worker.js', source: `const build = '${build}'\n${worker}` })
    },
  }
}
