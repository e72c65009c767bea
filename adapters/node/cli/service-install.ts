import { variables } from '../environment.ts'
import { type Command, print } from './command.ts'
import { argumentsOf, daemonFlags, entry } from './detach.ts'
import { installService } from './service.ts'
import { environmentOf } from './settings.ts'

export const command: Command = {
  usage: 'service install',
  what: 'Have the operating system keep hearthd running for this user',
  options: [
    ['--port', 'Port to listen on'],
    ['--host', 'Address to listen on'],
    ['--json', 'Print JSON'],
  ],
  run(_, options) {
    environmentOf(options)
    const start = [process.execPath, ...daemonFlags, entry, 'start', ...argumentsOf(options)]
    const file = installService(start, plainVariables())
    print(options, { installed: true, file }, `Installed as ${file}`)
  },
}

/** What is set now and is no secret. */
function plainVariables(): Record<string, string> {
  const set = Object.values(variables).flatMap((variable) => {
    const value = process.env[variable.name]
    const secret = 'secret' in variable && variable.secret
    return value && !secret ? [[variable.name, value]] : []
  })
  return Object.fromEntries(set) as Record<string, string>
}
