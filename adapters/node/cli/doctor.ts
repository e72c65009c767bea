import { type Command, print } from './command.ts'
import { examineInstallation } from './examinations.ts'
import { environmentOf } from './settings.ts'

export const command: Command = {
  usage: 'doctor',
  what: 'Look for what is wrong with this installation',
  options: [['--json', 'Print JSON']],
  async run(_, options) {
    const findings = await examineInstallation(environmentOf({}))
    const width = Math.max(...findings.map(({ name }) => name.length))
    const marks = { ok: '✓', warning: '!', failed: '✗' }
    const lines = findings.map(
      ({ name, state, message }) => `${marks[state]} ${name.padEnd(width)}  ${message}`,
    )
    const failed = findings.some(({ state }) => state === 'failed')
    print(options, { ok: !failed, findings }, lines.join('\n'))
    return failed ? 1 : 0
  },
}
