import { spawn } from 'node:child_process'
import { type Command, Failure, print } from './command.ts'
import { environmentOf } from './settings.ts'
import { findDaemon } from './target.ts'

const openers: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

export const command: Command = {
  usage: 'open',
  what: 'Open the web UI in the browser',
  options: [['--json', 'Only print the address, as JSON']],
  run(_, options) {
    const target = findDaemon(environmentOf({}), {})
    if (!target) throw new Failure('hearthd is not running; start it with hearthd start')
    const url = target.setup_token ? `${target.url}/setup#token=${target.setup_token}` : `${target.url}/`
    print(options, { url }, url)
    if (options.json) return
    const [program, ...before] = openers[process.platform] ?? ['xdg-open']
    const browser = spawn(program, [...before, url], { detached: true, stdio: 'ignore' })
    browser.on('error', () =>
      process.stderr.write('hearthd: no browser was found; open the address by hand\n'),
    )
    browser.unref()
  },
}
