import type { Command } from './command.ts'

export const command: Command = {
  usage: 'start',
  what: 'Serve the API, the web UI and health',
  options: [
    ['--port', 'Port to listen on (default 18781, or SERVICE_PORT)'],
    ['--host', 'Address to listen on (default every address, or SERVICE_HOST)'],
    ['--dev', 'Restart when the code changes'],
    ['--detach', 'Run in the background'],
    ['--json', 'Print one line of JSON'],
  ],
  examples: ['start', 'start --host 127.0.0.1 --port 8080', 'start --detach'],
  async run(_, options) {
    if (options.dev && !options.detach) return (await import('./watch.ts')).watch(options)
    if (options.detach) return (await import('./detach.ts')).startDetached(options)
    return (await import('./foreground.ts')).serveHere(options)
  },
}
